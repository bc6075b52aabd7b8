import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

/** Returns another number from 0 to 1 on each call. */
export type Random = () => number;

/** What a saver has stored, outside of the saver: as the disk has it, or the memory of the process. */
export interface Storage {
  /** Opens a saver over it, as another process would. */
  readonly open: () => Opened;
  /** Returns everything that is stored, in bytes, after the same checkpoint and VACUUM. Needs every saver to be closed. */
  readonly bytes: () => number;
  readonly copy: () => Storage;
  /** Changes one bit of one stored value. */
  readonly flip: (random: Random) => void;
  /** Deletes one row of one table. */
  readonly drop: (random: Random) => void;
  /** Deletes all but the newest checkpoints, with their writes, as a job on the database does. */
  readonly deleteOlder: (keep: number) => void;
  readonly remove: () => void;
}

export interface Opened {
  readonly saver: BaseCheckpointSaver;
  readonly close: () => Promise<void>;
}

/** Returns numbers that are the same for the same seed. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns one item, each as likely as its weight. Throws when there is none. */
export function chosen<T>(items: readonly T[], random: Random, weight: (item: T) => number = one): T {
  let left = random() * items.reduce((sum, item) => sum + weight(item), 0);
  const found = items.find((item) => (left -= weight(item)) < 0);
  if (found === undefined) throw new Error("There is nothing to choose from");
  return found;
}

function one(): number {
  return 1;
}
