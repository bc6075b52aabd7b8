export interface SplitOptions {
  /** Lines of one passage. @default 12 */
  readonly lines?: number;
  /** Characters of one passage; a longer line is cut. @default 1,200 */
  readonly characters?: number;
}

/** Returns a text in passages of whole lines, each with the number of its first line, from 1. Blank ones are left out. */
export function splitPassages(
  text: string,
  { lines: most = 12, characters = 1_200 }: SplitOptions = {},
): { readonly line: number; readonly text: string }[] {
  const passages: { line: number; text: string }[] = [];
  let open = { line: 1, lines: [] as string[], size: 0 };
  const close = (next: number): void => {
    const passage = open.lines.join("\n");
    if (passage.trim() !== "") passages.push({ line: open.line, text: passage });
    open = { line: next, lines: [], size: 0 };
  };
  for (const [index, whole] of text.split("\n").entries()) {
    for (const piece of pieces(whole, characters)) {
      if (open.lines.length === most || open.size + piece.length > characters) close(index + 1);
      open.lines.push(piece);
      open.size += piece.length + 1;
    }
  }
  close(0);
  return passages;
}

/** Cuts at a blank where there is one, and never inside a surrogate pair. */
function pieces(line: string, most: number): string[] {
  const found: string[] = [];
  let start = 0;
  while (line.length - start > most) {
    const blank = line.lastIndexOf(" ", start + most);
    const cut = blank > start + most / 2 ? blank : start + most;
    const end = isLow(line, cut) ? cut - 1 : cut;
    found.push(line.slice(start, end));
    start = end;
  }
  return [...found, line.slice(start)];
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
