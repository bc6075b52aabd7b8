import { messageText } from "@palimpsest/context/internal";
import { chunksOf, type Chunk } from "../data/chunks.js";
import { farDistance, stepsOf } from "../data/steps.js";
import type { Trajectory } from "../data/trajectory.js";

/** A step whose calls use something that was last seen far back. */
export interface NextStep {
  /** Strings that its calls repeat, last seen more than ten chunks before. */
  readonly wanted: readonly string[];
  /** Chunks that are old enough to be searched: those before this index. */
  readonly old: number;
  /** What the agent said it was about to do; "" where it said nothing. */
  readonly ownWords: string;
  /** PACE's query, as published: the task and the last two chunks. */
  readonly published: string;
}

export const queries = ["ownWords", "published"] as const;
export type QueryName = (typeof queries)[number];

/** Steps with fewer candidates are left out. */
const fewest = 20;
/** Characters of the published query. */
const most = { goal: 4_000, chunk: 8_000 };

/** Returns the steps of a run that far evidence is looked for, in order, with the chunks of the run. Pure. */
export function nextStepsOf(trajectory: Trajectory): {
  readonly chunks: readonly Chunk[];
  readonly steps: readonly NextStep[];
} {
  const chunks = chunksOf(trajectory.messages);
  const goal = chunks.find(({ isUser }) => isUser)?.text.slice(0, most.goal) ?? "";
  const steps = stepsOf(trajectory).flatMap(({ chunk, needed }) => {
    const wanted = needed.filter(({ distance }) => distance > farDistance).map(({ text }) => text);
    const old = chunk - farDistance;
    if (wanted.length === 0 || old < fewest) return [];
    const recent = chunks.slice(chunk - 2, chunk).map(({ text }) => text.slice(0, most.chunk));
    const [head] = chunks[chunk]?.messages ?? [];
    const ownWords = head === undefined ? "" : messageText(head).trim();
    return { wanted, old, ownWords, published: [goal, ...recent].join("\n") };
  });
  return { chunks, steps };
}
