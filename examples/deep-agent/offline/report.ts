import { type Known, type Ledger } from "./ledger.js";
import { readMatches } from "./read-result.js";
import { type Call, type Thread, argument, exchangesOf } from "./thread.js";

/** Where the report is. */
export const reportPath = "/report.md";
/** The line that rows are added before; the last edit takes it away. */
const openEnd = "(more rows follow)";
const columns =
  "| package | licence | version | entry | largest file | bytes | imported by | symbol defined at |";

/** Returns the call that starts the report. */
export function startReport(): Call {
  const content = `# Audit\n\n${columns}\n|---|---|---|---|---|---|---|---|\n${openEnd}\n`;
  return { name: "write_file", args: { path: reportPath, content } };
}

/** Returns the call that adds a row for every package of the ledger. */
export function addRows(ledger: Ledger): Call {
  const rows = [...ledger.known].map(([name, known]) => row(name, known));
  return edit(openEnd, `${rows.join("\n")}\n${openEnd}`);
}

/** Returns the call that ends the report. */
export function endReport(count: number): Call {
  return edit(openEnd, `\n${count} packages audited.`);
}

/** Returns the call that shows which rows the report has. */
export function readRows(): Call {
  return {
    name: "grep",
    args: { pattern: "^(?:\\| |[0-9]+ packages audited)", path: reportPath, regex: true },
  };
}

/**
 * Returns what the thread shows of the report: undefined when it shows nothing; `isStarted` is false when the file is
 * known to be absent.
 */
export function reportInView(
  thread: Thread,
): { isStarted: boolean; rows: Set<string>; isEnded: boolean } | undefined {
  let state: { isStarted: boolean; rows: Set<string>; isEnded: boolean } | undefined;
  for (const exchange of exchangesOf(thread)) {
    if (argument(exchange, "path") !== reportPath) continue;
    if (exchange.tool === "write_file") state = { isStarted: true, rows: new Set(), isEnded: false };
    if (exchange.tool === "grep") {
      const lines = readMatches(exchange).map((match) => match.text);
      const isEnded = lines.some((line) => line.endsWith("packages audited."));
      state = { isStarted: lines.length > 0, rows: new Set(lines.flatMap(nameIn)), isEnded };
    }
    if (exchange.tool === "edit_file" && state !== undefined) {
      const added = argument(exchange, "new_string");
      for (const name of added.split("\n").flatMap(nameIn)) state.rows.add(name);
      state.isEnded ||= !added.includes(openEnd);
    }
  }
  return state;
}

function edit(old_string: string, new_string: string): Call {
  return { name: "edit_file", args: { path: reportPath, old_string, new_string } };
}

function nameIn(line: string): string[] {
  const name = /^\| (\S+) \|/.exec(line)?.[1];
  return name === undefined || name === "package" ? [] : [name];
}

function row(name: string, known: Known): string {
  const [, path = "unknown", bytes = ""] = /^(.*) (\d+)$/.exec(known["largest"] ?? "") ?? [];
  const cell = (key: string): string => known[key] ?? "unknown";
  const cells = [
    name,
    cell("licence"),
    cell("version"),
    cell("entry"),
    path,
    bytes,
    cell("imported by"),
    cell("symbol"),
  ];
  return `| ${cells.join(" | ")} |`;
}
