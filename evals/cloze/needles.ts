import { isToolResult, messageText } from "@palimpsest/context/internal";
import type { Trajectory } from "../data/trajectory.js";

/** A string with exactly one source, and what else stands on its line. */
export interface Needle {
  readonly text: string;
  readonly line: string;
  /** The other words of the line, the rarest first; at least three. */
  readonly words: readonly string[];
}

const lineLength = { least: 25, most: 300 };
/** Needles come from the first part of a run: the rest lies between them and the question. */
const part = 0.7;
const mostNeedles = 40;
const leastWords = 3;
const candidate = /["'][^"'\n]{6,30}["']|\b\d{4,}\b|\b[a-z]+(?:[A-Z][a-z\d]+)+\b|\b[a-z\d]+(?:_[a-z\d]+)+\b/g;

/** Returns up to 40 needles of a run, spread over its first 70 %. */
export function needlesOf({ messages }: Trajectory): readonly Needle[] {
  const texts = messages.map((message) => `${messageText(message)}\n${JSON.stringify(callsOf(message))}`);
  const having = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(wordsOf(text))) having.set(word, (having.get(word) ?? 0) + 1);
  }
  const early = messages.slice(0, Math.floor(part * messages.length)).filter(isToolResult);
  const found = early.flatMap((message) => {
    const lines = messageText(message).split("\n").filter(isUsable);
    return lines.flatMap((line) => needleOf(line, having, texts) ?? []);
  });
  const every = Math.max(1, found.length / mostNeedles);
  return Array.from(
    { length: Math.min(mostNeedles, found.length) },
    (_, at) => found[Math.floor(at * every)],
  ).filter((needle) => needle !== undefined);
}

function needleOf(
  line: string,
  having: ReadonlyMap<string, number>,
  texts: readonly string[],
): Needle | undefined {
  for (const [found] of line.matchAll(candidate)) {
    const text = found.replaceAll(/^["']|["']$/g, "");
    if (!hasOneSource(text, having, texts)) continue;
    const others = new Set(wordsOf(line.replace(text, () => " ")).filter((word) => !text.includes(word)));
    const count = (word: string) => having.get(word) ?? 0;
    const words = [...others].toSorted((one, other) => count(one) - count(other));
    if (words.length >= leastWords) return { text, line, words };
  }
  return undefined;
}

function hasOneSource(text: string, having: ReadonlyMap<string, number>, texts: readonly string[]): boolean {
  // Hot path: rejects most candidates without scanning all texts.
  if (wordsOf(text).length === 1 && (having.get(text) ?? 0) > 1) return false;
  const first = texts.findIndex((one) => one.includes(text));
  return first >= 0 && !texts.some((one, at) => at > first && one.includes(text));
}

/** Returns the words that a search can ask for. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z_$][\w$]{2,}|\d{3,}/g) ?? [];
}

function isUsable({ length }: string): boolean {
  return length >= lineLength.least && length <= lineLength.most;
}

function callsOf(message: object): unknown {
  return (message as { readonly tool_calls?: unknown }).tool_calls ?? [];
}
