import { count } from "../terminal-text.js";
import { reportStyle } from "./report-style.js";

/** What a cell of a table shows: a number, words, foreign text, a bar of shares in percent: good, middling, bad; or a link. */
export type Cell =
  | string
  | number
  | { readonly text: string }
  | { readonly shares: readonly number[] }
  /** A link to the element with this id on the same page. */
  | { readonly to: string; readonly label: string };

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
  const names = head.map((name, at) => {
    const isNumber = rows.some(({ cells }) => isFigure(cells[at] ?? ""));
    return name === ""
      ? "<td></td>"
      : `<th scope="col"${isNumber ? ' class="figure"' : ""}>${escaped(name)}</th>`;
  });
  const lines = rows.map(({ cells, className }) => {
    const [first = "", ...rest] = cells;
    const named = kind === "counts" ? `<th scope="row">${nameHtml(first)}</th>` : cellHtml(first, "");
    const others = rest.map((cell, at) => cellHtml(cell, head[at + 1] ?? ""));
    return `<tr${className === undefined ? "" : ` class="${className}"`}>${named}${others.join("")}</tr>`;
  });
  return `<table class="${kind}"><thead><tr>${names.join("")}</tr></thead><tbody>${lines.join("")}</tbody></table>`;
}

function nameHtml(cell: Cell): string {
  if (typeof cell !== "object") return escaped(String(cell));
  if ("to" in cell) return `<a href="#${escaped(cell.to)}">${escaped(cell.label)}</a>`;
  return "text" in cell ? escaped(cell.text) : "";
}

/** True for a number, and for text that is one with its unit. */
function isFigure(cell: Cell): boolean {
  return typeof cell === "number" || (typeof cell === "string" && /^[\d.,]+(?: %)?$/.test(cell));
}

function cellHtml(cell: Cell, name: string): string {
  if (typeof cell === "object" && "shares" in cell) {
    const parts = cell.shares.map((share, at) => `<i class="f${at}" style="width:${share.toFixed(1)}%"></i>`);
    return `<td class="bar">${parts.join("")}</td>`;
  }
  const label = name === "" ? "" : ` data-name="${escaped(name)}"`;
  if (typeof cell === "object") return `<td class="text"${label}>${nameHtml(cell)}</td>`;
  return `<td${isFigure(cell) ? ' class="figure"' : ""}${label}>${escaped(typeof cell === "number" ? count(cell) : cell)}</td>`;
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
