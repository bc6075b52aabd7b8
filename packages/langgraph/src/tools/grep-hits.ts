import type { GrepMatch, GrepResult } from "@palimpsest/vfs/internal";

/** A match with the lines around it. */
export interface Hit {
  /** 1-based line of its file. */
  readonly line: number;
  readonly lines: string[];
  /** Its place in the conversation; absent outside the archive's results, inputs and history. */
  readonly place?: Place;
}

/** A place in the conversation: where a text is, or where its file is named, and the line in that file. */
export interface Place {
  /** Path of a history file; absent for a text that no history file names, which is newer than all of them. */
  readonly history?: string;
  /** Line of that file, or index of a message in the context. */
  readonly line: number;
  readonly own: number;
}

export interface FileHits {
  readonly path: string;
  /** Number of matches in the file, which may exceed that of `hits`. */
  readonly count: number;
  readonly hits: readonly Hit[];
}

/** Returns the files of a result with at most `around` lines of context on each side of a match. Pure. */
export function hitsOf({ matches = [], counts = [] }: GrepResult, around: number): readonly FileHits[] {
  const files = new Map(
    counts.map(({ path, matches: count }) => [
      path,
      { path, count, hits: [] as Hit[], before: [] as string[] },
    ]),
  );
  for (const match of matches) {
    const file = files.get(match.path);
    const newest = file?.hits.at(-1);
    const text = matchLine(match);
    if (match.context !== true) {
      const lines = [...(file?.before.splice(0) ?? []), text];
      file?.hits.push({ line: match.line, lines });
    } else if (newest !== undefined && match.line <= newest.line + around) newest.lines.push(text);
    else file?.before.push(text);
  }
  return [...files.values()].map(({ path, count, hits }) => ({ path, count, hits }));
}

function matchLine({ path, line, text, context, range }: GrepMatch): string {
  const bytes = range === undefined ? "" : ` [bytes ${range.start}-${range.end}]`;
  return context === true ? `${path}-${line}- ${text}` : `${path}:${line}:${bytes} ${text}`;
}
