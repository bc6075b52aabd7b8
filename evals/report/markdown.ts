import type { Table } from "../suite.js";
import { formatCell } from "./format-value.js";

/** Returns a table in Markdown, numbers to the right. Pure. */
export function markdownTable({ columns, rows }: Table): string {
  const cells = rows.map((row) => row.map((cell) => escape(formatCell(cell))));
  const numeric = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === "number"));
  const widths = columns.map((name, at) =>
    Math.min(48, Math.max(3, name.length, ...cells.map((row) => row[at]?.length ?? 0))),
  );
  const pad = (text: string, at: number) =>
    numeric[at] === true ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  const rule = widths.map((width, at) =>
    numeric[at] === true ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  return [columns.map(escape), rule, ...cells].map((row) => `| ${row.map(pad).join(" | ")} |`).join("\n");
}

/** Returns a table with its title and note in Markdown. Pure. */
export function markdownSection(table: Table, level = 3): string {
  const note = table.note === undefined ? [] : [table.note];
  return [`${"#".repeat(level)} ${table.title}`, markdownTable(table), ...note].join("\n\n");
}

function escape(text: string): string {
  return text.replaceAll("|", () => "\\|").replaceAll("\n", () => " ");
}
