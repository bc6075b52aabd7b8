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
  /** What the agent said it was about to do. */
  readonly ownWords: string;
}

/** Steps with fewer candidates are left out. */
const fewest = 20;

/**
 * Returns the steps of a run that far evidence is looked for, in order, with the chunks of the run. Steps before which the agent
 * said nothing are left out. Pure.
 */
export function nextStepsOf(trajectory: Trajectory): {
  readonly chunks: readonly Chunk[];
  readonly steps: readonly NextStep[];
} {
  const chunks = chunksOf(trajectory.messages);
  const steps = stepsOf(trajectory).flatMap(({ chunk, needed }) => {
    const wanted = needed.filter(({ distance }) => distance > farDistance).map(({ text }) => text);
    const old = chunk - farDistance;
    const [head] = chunks[chunk]?.messages ?? [];
    const ownWords = head === undefined ? "" : messageText(head).trim();
    return wanted.length === 0 || old < fewest || ownWords === "" ? [] : [{ wanted, old, ownWords }];
  });
  return { chunks, steps };
}
