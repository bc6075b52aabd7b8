import { count } from "../terminal-text.js";
import { reportStyle } from "./report-style.js";

/** What a cell of a table shows: a number, words, foreign text, or a bar of shares in percent: good, middling, bad. */
export type Cell = string | number | { readonly text: string } | { readonly shares: readonly number[] };

export interface Row {
  readonly cells: readonly Cell[];
  readonly className?: string;
}

/** Returns a page that loads nothing and runs no script. `body` is HTML, `title` is text. Pure. */
export function reportPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${reportStyle}</style>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</html>
`;
}

/** Returns a table; the first cell of each row of `counts` names the row. A column without a name explains itself. Pure. */
export function tableHtml(kind: "counts" | "items", head: readonly string[], rows: readonly Row[]): string {
  const names = head.map((name) => (name === "" ? "<td></td>" : `<th scope="col">${escaped(name)}</th>`));
  const lines = rows.map(({ cells, className }) => {
    const [first = "", ...rest] = cells;
    const isName = kind === "counts" && typeof first === "string";
    const named = isName ? `<th scope="row">${escaped(first)}</th>` : cellHtml(first, "");
    const others = rest.map((cell, at) => cellHtml(cell, head[at + 1] ?? ""));
    return `<tr${className === undefined ? "" : ` class="${className}"`}>${named}${others.join("")}</tr>`;
  });
  return `<table class="${kind}"><thead><tr>${names.join("")}</tr></thead><tbody>${lines.join("")}</tbody></table>`;
}

function cellHtml(cell: Cell, name: string): string {
  if (typeof cell === "object" && "shares" in cell) {
    const parts = cell.shares.map((share, at) => `<i class="f${at}" style="width:${share.toFixed(1)}%"></i>`);
    return `<td class="bar">${parts.join("")}</td>`;
  }
  const label = name === "" ? "" : ` data-name="${escaped(name)}"`;
  if (typeof cell === "object") return `<td class="text"${label}>${escaped(cell.text)}</td>`;
  return `<td${label}>${escaped(typeof cell === "number" ? count(cell) : cell)}</td>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns text that no browser takes for markup, without characters that reorder it. */
export function escaped(text: string): string {
  return text
    .replace(
      /[^\t\n\P{Cc}]|\p{Bidi_Control}/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
