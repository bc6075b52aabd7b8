import { estimateTextTokens } from "@palimpsest/context/internal";

/** Tokens of an answer, with the line that names the other pages. */
export const pageTokens = 600;
const roomForNote = 30;

/**
 * Returns one page of a text, and says how many there are. A page ends at a line; a line that is longer than a page is split.
 * Pure.
 */
export function pageOf(text: string, page: number): string {
  const pages = pagesOf(text);
  const shown = pages[page - 1];
  if (shown === undefined)
    return `There is no page ${page}: the last one is ${pages.length}. Pass a page from 1 to ${pages.length}.`;
  if (pages.length === 1) return shown;
  const next = page < pages.length ? ` Pass page: ${page + 1} for the next one.` : "";
  return `${shown}\n[Page ${page} of ${pages.length}.${next}]`;
}

function pagesOf(text: string): readonly string[] {
  const room = pageTokens - roomForNote;
  const pages: string[] = [];
  let open = "";
  for (const line of text.split("\n").flatMap((whole) => pieces(whole, room))) {
    const longer = open === "" ? line : `${open}\n${line}`;
    if (open !== "" && estimateTextTokens(longer) > room) {
      pages.push(open);
      open = line;
    } else open = longer;
  }
  return [...pages, open];
}

/** Returns a line in pieces that fit a page. */
function pieces(line: string, room: number): readonly string[] {
  const found: string[] = [];
  for (let rest = line; ;) {
    // A token has at least one character, so this many cannot be too few.
    let size = Math.min(rest.length, room * 6);
    while (size > 1 && estimateTextTokens(rest.slice(0, size)) > room) size = Math.floor(size * 0.8);
    // A character of two units is not cut in half.
    if (size < rest.length && /[\uD800-\uDBFF]/.test(rest.charAt(size - 1))) size -= 1;
    found.push(rest.slice(0, Math.max(1, size)));
    rest = rest.slice(Math.max(1, size));
    if (rest === "") return found;
  }
}
