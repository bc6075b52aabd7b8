import { notePath } from "./collect.js";
import { type Known, factLines, readLedger } from "./ledger.js";
import { offloadedTo } from "./read-result.js";
import { type Subject } from "./request.js";
import { type Call, type Thread, argument, exchangesOf } from "./thread.js";

/** Facts that a note leaves out: they stand in the manifest, which the archive keeps. */
const leftOut = new Set(["licence", "version", "entry", "found at", "reported at", "entry at"]);
const outlineLines = 45;
const excerptLines = 18;
const clip = 160;

/** What a note is written from. */
export interface NoteSources {
  readonly thread: Thread;
  /** Quotes the sources that are in view whole, and not their outlines. */
  readonly quotesAll: boolean;
}

/** Returns the call that writes the note about a package, with its sources as far as they are in view. */
export function writeNote(subject: Subject, known: Known, { thread, quotesAll }: NoteSources): Call {
  const facts = Object.entries(known).filter(([key]) => !leftOut.has(key));
  const withImporters = { "imported by": "-", ...Object.fromEntries(facts) };
  const reads = exchangesOf(thread)
    .filter((each) => each.tool === "read_source" && argument(each, "package") === subject.name)
    .filter((each) => argument(each, "file") !== "package.json")
    .map(
      (each) => `## ${argument(each, "file")}\n\n${quotesAll ? quoted(each.result) : outline(each.result)}`,
    );
  const content = [
    `# ${subject.name}`,
    factLines(withImporters).join("\n"),
    `The symbol asked for is ${subject.symbol}.`,
    ...reads,
  ].join("\n\n");
  return { name: "write_file", args: { path: notePath(subject.name), content: `${content}\n` } };
}

/** Returns the call that writes down, word for word, what the research on a package has returned so far. */
export function writeDraft({ name }: Subject, thread: Thread): Call {
  const results = thread.turns
    .filter(({ said }) => readLedger(said)?.known.has(name))
    .flatMap(({ exchanges }) => exchanges)
    .filter(({ tool }) => !tool.startsWith("write_"))
    .map(
      (each) =>
        `## ${each.tool} ${argument(each, "file")}${argument(each, "pattern")}\n\n${quoted(each.result)}`,
    );
  const path = notePath(name).replace("/notes/", () => `/drafts/${thread.turns.length}-`);
  return { name: "write_file", args: { path, content: `# ${name}\n\n${results.join("\n\n")}\n` } };
}

function quoted(result: string): string {
  const lines = result.split("\n");
  return lines.map((line) => `> ${line}`).join("\n");
}

/** The declarations in a source, and its first lines. */
function outline(result: string): string {
  const path = offloadedTo(result);
  const lines = result.split("\n");
  const declarations = lines.filter((line) =>
    /^(?:export|module\.exports|declare|abstract|class|function|interface|type|const) /.test(line),
  );
  const opening = lines.slice(0, excerptLines).map((line) => `> ${line.slice(0, clip)}`);
  const rest = declarations.slice(0, outlineLines).map((line) => `    ${line.slice(0, clip)}`);
  const archived = path === undefined ? [] : [`The whole text is in ${path}.`, ""];
  return [...archived, ...opening, "", `${declarations.length} declarations:`, ...rest].join("\n");
}
