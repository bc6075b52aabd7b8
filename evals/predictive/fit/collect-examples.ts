import { eachAtom, featureNames, ReuseIndex } from "@palimpsest/context/selection";
import { randomFrom } from "../../data/random-from.js";
import type { Step } from "../../data/steps.js";
import { ChunkLog } from "../../policies/chunk-log.js";

/** Atoms of a run as a model of reuse sees them: a row of features each, whether the next call used it, and its weight. */
export interface Examples {
  readonly features: Float64Array;
  readonly used: Uint8Array;
  readonly weights: Float64Array;
  readonly count: number;
}

/** Samples one in this many unused atoms, and weights it accordingly. */
const sampling = 8;
/** A used atom counts for the number that its step needs to the power of minus this. */
const crowding = 2 / 3;
/** The newest chunks are always sent whole. */
const wholeChunks = 2;

/**
 * Returns the examples of a run: at each of its model calls, the atoms seen so far that are in none of the newest chunks.
 *
 * A used atom counts for the less the more its step needs: one edit of a hundred lines is not a hundred steps. By the
 * number itself each step would count the same, and the lines of large edits for next to nothing.
 */
export function collectExamples(steps: readonly Step[], seed = 1): Examples {
  const random = randomFrom(seed);
  const log = new ChunkLog();
  const index = new ReuseIndex();
  const features: number[] = [];
  const used: number[] = [];
  const weights: number[] = [];
  for (const { added, needed } of steps) {
    for (const { messages } of log.add(added)) index.append(messages);
    const wanted = new Set(needed.map(({ kind, text }) => (kind === "line" ? `\n${text}` : text)));
    if (wanted.size === 0) continue;
    eachAtom(index, (atom, row) => {
      if (index.chunks.length - atom.last <= wholeChunks) return;
      const isUsed = wanted.has(atom.text);
      if (!isUsed && random() * sampling >= 1) return;
      features.push(...row);
      used.push(isUsed ? 1 : 0);
      weights.push(isUsed ? wanted.size ** -crowding : sampling);
    });
  }
  const count = used.length;
  if (features.length !== count * featureNames.length) throw new Error("A row of features is incomplete");
  return {
    features: Float64Array.from(features),
    used: Uint8Array.from(used),
    weights: Float64Array.from(weights),
    count,
  };
}
