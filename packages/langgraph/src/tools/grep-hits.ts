import type { GrepMatch, GrepResult } from "@palimpsest/vfs/internal";

/** A match with the lines around it, as they are shown. */
export interface Hit {
  /** 1-based line of its file. */
  readonly line: number;
  readonly lines: string[];
  /** Where it stands in the conversation; absent outside the archive's results, inputs and history. */
  readonly place?: Place;
}

/** A place in the conversation: where it stands or is named, and its line in the result that is named there. */
export interface Place {
  /** Path of a file of the history. Absent for what none of them names: it is newer than all that they do. */
  readonly history?: string;
  /** Line of that file, or index of a message in the context. */
  readonly line: number;
  readonly own: number;
}

export interface FileHits {
  readonly path: string;
  /** Matches of the file, which may be more than `hits`. */
  readonly count: number;
  readonly hits: readonly Hit[];
}

/** Returns the files of a result with `around` lines of context at most around each match. Pure. */
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
