import type { GrepCount, GrepMatch, GrepOptions, GrepResult } from "../backend.js";

/** Collects the matches of a search up to a limit. Context lines do not count. */
export interface MatchCollector {
  /** Returns false when the search can end because the result is complete. */
  add(match: GrepMatch): boolean;
  /** Sets the number of matches of a file, for a mount that counted more matches than it returned. */
  count(counted: GrepCount): void;
  result(): GrepResult;
}

/** Returns a collector that takes matches in the order of files, or, with `spread`, in turns from all files. */
export function matchCollector(
  maxCount: number | null | undefined,
  { spread = false, after = 0 }: GrepOptions,
): MatchCollector {
  const limit = maxCount ?? Number.POSITIVE_INFINITY;
  return spread ? new SpreadMatches(limit, after) : new FirstMatches(limit);
}

class FirstMatches implements MatchCollector {
  readonly #limit: number;
  readonly #matches: GrepMatch[] = [];
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(match: GrepMatch): boolean {
    if (match.context !== true) this.#count++;
    if (this.#count > this.#limit) return false;
    this.#matches.push(match);
    return true;
  }

  count(): void {}

  result(): GrepResult {
    const isCut = this.#count > this.#limit;
    return isCut ? { matches: this.#matches, truncated: true } : { matches: this.#matches };
  }
}

interface FileMatches {
  /** All matches of the file, kept or not. */
  count: number;
  kept: number;
  /** Line of the last match kept. */
  last: number;
  lines: GrepMatch[];
}

/**
 * Takes the first match of every file, then the second of every file that has one, and so on up to a limit.
 *
 * Holds at most twice the limit and two matches of each file, for any number of matches.
 */
class SpreadMatches implements MatchCollector {
  readonly #limit: number;
  readonly #after: number;
  readonly #files = new Map<string, FileMatches>();
  /** The most matches that one file may keep. Falls as more files turn out to have matches. */
  #turns: number;
  #kept = 0;

  constructor(limit: number, after: number) {
    this.#limit = limit;
    this.#after = after;
    this.#turns = limit;
  }

  add(match: GrepMatch): boolean {
    const file = this.#file(match.path);
    if (match.context === true) {
      if (file.count < this.#turns || match.line <= file.last + this.#after) file.lines.push(match);
      return true;
    }
    file.count++;
    if (file.count > this.#turns) return true;
    file.kept++;
    file.last = match.line;
    file.lines.push(match);
    if (++this.#kept > 2 * (this.#limit + this.#files.size)) this.#prune();
    return true;
  }

  count({ path, matches }: GrepCount): void {
    this.#file(path).count = matches;
  }

  result(): GrepResult {
    this.#prune();
    const files = [...this.#files].filter(([, { count }]) => count > 0);
    const counts = files.map(([path, { count }]) => ({ path, matches: count }));
    const isCut = files.some(([, { count, kept }]) => kept < count);
    return {
      matches: files.flatMap(([, { lines }]) => lines),
      counts,
      ...(isCut ? { truncated: true } : {}),
    };
  }

  #file(path: string): FileMatches {
    const file = this.#files.get(path) ?? { count: 0, kept: 0, last: -Infinity, lines: [] };
    this.#files.set(path, file);
    return file;
  }

  /** Drops the matches whose turn comes after the limit is reached. */
  #prune(): void {
    const counts = [...this.#files.values()].map(({ count }) => count);
    const before = (turn: number) => counts.reduce((sum, count) => sum + Math.min(count, turn), 0);
    let turns = 1;
    let most = Math.min(
      this.#turns,
      counts.reduce((largest, count) => Math.max(largest, count), 1),
    );
    while (turns < most) {
      const middle = Math.floor((turns + most) / 2);
      if (before(middle) < this.#limit) turns = middle + 1;
      else most = middle;
    }
    if (turns >= this.#turns) return;
    this.#turns = turns;
    for (const file of this.#files.values()) this.#trim(file);
  }

  #trim(file: FileMatches): void {
    if (file.kept <= this.#turns) return;
    const hits = file.lines.filter(({ context }) => context !== true);
    file.last = hits[this.#turns - 1]?.line ?? -Infinity;
    const first = file.lines.indexOf(hits[this.#turns] as GrepMatch);
    file.lines = file.lines.slice(0, first).filter(({ line }) => line <= file.last + this.#after);
    this.#kept -= file.kept - this.#turns;
    file.kept = this.#turns;
  }
}
