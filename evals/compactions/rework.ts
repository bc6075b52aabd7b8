import { textOf } from "../data/text-of.js";
import { callsOf, ownLines, tokensOf, withWholePaths, type AgentCall } from "./agent-calls.js";
import type { PlayedCompaction } from "./played-compaction.js";

/** A call that brings again what the agent had before the compaction. */
export interface ReworkCall {
  readonly call: AgentCall;
  /** Lines of its result that stood in the thread before, and that nothing after the compaction had shown yet. */
  readonly lines: ReadonlySet<string>;
}

/** What the agent did again after a compaction. */
export interface Rework {
  /** Calls before the first edit; undefined where none came. */
  readonly toFirstEdit: number | undefined;
  /** Calls that were looked at. */
  readonly calls: number;
  /** Of them, those that read, search or ask. */
  readonly looking: number;
  readonly again: readonly ReworkCall[];
  /** Files that a call had read or edited before, and that are read again. */
  readonly files: ReadonlySet<string>;
  /** Searches among `again`. */
  readonly searches: number;
  /** Questions to the user that had been asked before. */
  readonly questions: number;
  /** Tokens of the lines received again, of four characters. */
  readonly tokens: number;
}

/** Calls after a compaction that are looked at: later ones belong to other work. */
export const lookedAt = 40;
/** Share of a result that is known already, from which the call is one made again. */
const knownShare = 0.5;
/** Share of the words of a question that an earlier one has, from which it is the same. */
const sameWords = 0.6;

/** Returns what the agent read, searched and asked again in its first 40 calls after a compaction. Pure. */
export function reworkOf({ past, after }: PlayedCompaction): Rework {
  const made = callsOf([...past, ...after]);
  const before = withWholePaths(made.filter(({ at }) => at < past.length));
  const all = withWholePaths(made).filter(({ at }) => at >= past.length);
  const calls = all.slice(0, lookedAt);
  const known = ownLines(past.map(textOf).join("\n"));
  const again = madeAgain(calls, known);
  const edit = all.findIndex(({ kind }) => kind === "edit");
  const earlier = new Set(before.flatMap(({ path }) => path ?? []));
  const readAgain = calls.filter(
    ({ kind, path }) => kind === "read" && path !== undefined && earlier.has(path),
  );
  const asked = before.filter(({ kind }) => kind === "ask").map(wordsOf);
  const questions = calls.filter(
    (call) => call.kind === "ask" && asked.some((one) => isSame(wordsOf(call), one)),
  );
  return {
    toFirstEdit: edit < 0 ? undefined : edit,
    calls: calls.length,
    looking: calls.filter(isLooking).length,
    again,
    files: new Set(readAgain.flatMap(({ path }) => path ?? [])),
    searches: again.filter(({ call }) => call.kind === "search").length,
    questions: questions.length,
    tokens: again.reduce((sum, { lines }) => sum + tokensOf(lines), 0),
  };
}

function isLooking({ kind }: AgentCall): boolean {
  return kind === "read" || kind === "search" || kind === "ask";
}

function madeAgain(calls: readonly AgentCall[], known: ReadonlySet<string>): readonly ReworkCall[] {
  const shown = new Set<string>();
  const again: ReworkCall[] = [];
  for (const call of calls) {
    const lines = ownLines(call.result);
    const old = new Set([...lines].filter((line) => known.has(line)));
    const fresh = new Set([...old].filter((line) => !shown.has(line)));
    for (const line of lines) shown.add(line);
    // What the result of an edit or of a test repeats is no rework.
    if (!isLooking(call) || fresh.size === 0) continue;
    if (tokensOf(old) >= knownShare * tokensOf(lines)) again.push({ call, lines: fresh });
  }
  return again;
}

function wordsOf({ args }: AgentCall): ReadonlySet<string> {
  return new Set(
    JSON.stringify(args)
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? [],
  );
}

function isSame(question: ReadonlySet<string>, earlier: ReadonlySet<string>): boolean {
  return [...question].filter((word) => earlier.has(word)).length >= sameWords * question.size;
}
