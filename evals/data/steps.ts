import type { BaseMessage } from "@langchain/core/messages";
import { atomsOf, type Atom } from "./atoms.js";
import { chunksOf, type Chunk } from "./chunks.js";
import type { Trajectory } from "./trajectory.js";

/** An atom that was in the thread before the step that uses it. */
export interface Needed extends Atom {
  /** Chunks since it last occurred; 1 is the chunk before the step. */
  readonly distance: number;
}

/** A model call of a trajectory. */
export interface Step {
  /** Index of the chunk that the call begins. */
  readonly chunk: number;
  /** Messages that came in since the step before. */
  readonly added: readonly BaseMessage[];
  /** Number of atoms of the step, with or without a source. Those with a source are in `needed`. */
  readonly atoms: number;
  readonly needed: readonly Needed[];
}

/** Chunks back from which on an atom is far. */
export const farDistance = 10;

const known = new WeakMap<readonly BaseMessage[], readonly Step[]>();

/**
 * Returns the model calls of a trajectory, each with what its own calls need of the thread before it. Remembered with the list of
 * messages: a suite plays the same run with many systems.
 */
export function stepsOf({ messages }: Trajectory): readonly Step[] {
  const seen = known.get(messages);
  if (seen !== undefined) return seen;
  const chunks = chunksOf(messages);
  const steps: Step[] = [];
  let added: BaseMessage[] = [];
  for (const chunk of chunks) {
    const [head] = chunk.messages;
    if (chunk.isStep && head !== undefined) {
      const atoms = atomsOf(head);
      const needed = atoms.flatMap((atom) => grounded(atom, chunks, chunk.index));
      steps.push({ chunk: chunk.index, added, atoms: atoms.length, needed });
      added = [];
    }
    added.push(...chunk.messages);
  }
  known.set(messages, steps);
  return steps;
}

function grounded(atom: Atom, chunks: readonly Chunk[], step: number): readonly Needed[] {
  for (let index = step - 1; index >= 0; index--) {
    if (chunks[index]?.text.includes(atom.text) === true) return [{ ...atom, distance: step - index }];
  }
  return [];
}
