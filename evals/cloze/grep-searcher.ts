import { wordsOf } from "./needles.js";

/** A piece of the archive that a search returned, as the agent reads it. */
export interface Found {
  readonly path: string;
  readonly text: string;
}

/** Searches the past of a thread, as an agent can. */
export interface Searcher {
  /** Returns the best windows for words, best first, at most `most`. */
  find(words: readonly string[], most: number): Promise<readonly Found[]>;
  /** Tokens, of four characters, that the answers of its tools took so far. */
  readonly tokens: () => number;
}

/** A line that `grep` shows. */
export interface GrepHit {
  readonly path: string;
  /** The first is 1. */
  readonly line: number;
  readonly text: string;
}

/** The two tools that every agent filesystem has. */
export interface GrepTools {
  /** Returns lines with as many of the words as the tool can ask for at once; with fewer where none has them. The rarest is first. */
  readonly grep: (words: readonly string[]) => Promise<readonly GrepHit[]>;
  /** Returns lines `from` (the first is 1) to `from + count - 1` of a file. */
  readonly read: (path: string, from: number, count: number) => Promise<string>;
  /** Tokens, of four characters, that the tools answered so far. */
  readonly tokens: () => number;
}

/** Lines of a window. */
const windowLines = 40;
/** Rarest words that are searched for. */
const asked = 3;

/**
 * Returns a search with `grep` and `read_file` alone, as an agent would go about it: it greps for the three rarest words
 * that it remembers, takes the lines that are most like what it remembers, and opens the 40 lines around each. Of lines
 * that are equally like it, those that stand together come first: one window shows them all.
 */
export function grepSearcher({ grep, read, tokens }: GrepTools): Searcher {
  return {
    tokens,
    async find(words, most) {
      const candidates = ranked(await grep(words.slice(0, asked)), words);
      const windows = new Map<string, Found>();
      for (const { hit, from } of candidates) {
        // Several files may hold the same text: show it once.
        const key = hit.text.trim();
        if (windows.has(key) || windows.has(`${hit.path} ${from}`)) continue;
        const window = { path: hit.path, text: await read(hit.path, from, windowLines) };
        windows.set(key, window).set(`${hit.path} ${from}`, window);
        if (new Set(windows.values()).size >= most) break;
      }
      return [...new Set(windows.values())];
    },
  };
}

interface Candidate {
  readonly hit: GrepHit;
  /** First line of the window that the line is in. */
  readonly from: number;
  readonly score: number;
}

/** Returns the lines, the most like the words first; of equal ones, those with more equals in their window. */
function ranked(hits: readonly GrepHit[], words: readonly string[]): readonly Candidate[] {
  const candidates = hits.map((hit) => ({
    hit,
    from: Math.floor((hit.line - 1) / windowLines) * windowLines + 1,
    score: likeness(hit.text, words),
  }));
  const equals = new Map<string, number>();
  const placeOf = ({ hit, from, score }: Candidate) => `${score} ${from} ${hit.path}`;
  for (const one of candidates) equals.set(placeOf(one), (equals.get(placeOf(one)) ?? 0) + 1);
  const near = (one: Candidate) => equals.get(placeOf(one)) ?? 0;
  return candidates.toSorted((one, other) => other.score - one.score || near(other) - near(one));
}

/** Returns the share of the words that a line and a memory have in common. */
function likeness(line: string, words: readonly string[]): number {
  const own = new Set(wordsOf(line));
  const common = words.filter((word) => own.has(word)).length;
  return common / (own.size + words.length - common);
}
