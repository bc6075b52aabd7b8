import { parseQuotation, quotation } from "./quoted-text.js";

/** A line, and who wrote it: a tool, the agent, or nobody that is known (`""`). */
export interface SourcedLine {
  readonly source: string;
  readonly line: string;
}

/** Returns the lines that an entry of a summary quotes, or the entry itself where it quotes nothing. Pure. */
export function linesOfEntry(entry: string): readonly SourcedLine[] {
  const quoted = parseQuotation(entry);
  if (quoted === undefined) return [{ source: "", line: entry }];
  return quoted.lines.map((line) => ({ source: quoted.source, line }));
}

/** Returns one entry for neighbouring lines of a source. Pure. */
export function entriesOf(found: readonly SourcedLine[]): readonly string[] {
  const groups: { readonly source: string; readonly lines: string[] }[] = [];
  for (const { source, line } of found) {
    const last = groups.at(-1);
    if (last !== undefined && source !== "" && last.source === source) last.lines.push(line);
    else groups.push({ source, lines: [line] });
  }
  return groups.map(({ source, lines }) => (source === "" ? (lines[0] ?? "") : quotation({ source, lines })));
}

/** Returns the lines that differ, each at its last place: what was said again is as new as that. Pure. */
export function distinctLines<Line extends SourcedLine>(found: readonly Line[]): readonly Line[] {
  const last = new Map<string, Line>();
  for (const one of found) {
    last.delete(one.line);
    last.set(one.line, one);
  }
  return [...last.values()];
}
