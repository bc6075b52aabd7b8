import { VfsSaver } from "../../src/index.js";
import { newest, talk, type Outcome } from "./read-back.js";
import type { Rival } from "./rivals.js";
import type { Storage } from "./storage.js";

export interface Pruned {
  readonly outcome: Outcome;
  /** Messages that the newest checkpoint had, and how many of them came back. */
  readonly of: number;
  readonly read: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

const turns = 20;
const kept = 5;

/** Prunes a thread to its newest checkpoint with the saver's own call. Undefined for a saver that has none. */
export async function prunedByItself(rival: Rival): Promise<Pruned | undefined> {
  return pruned(rival, async (storage) => {
    const { saver, close } = storage.open();
    const canPrune = saver instanceof VfsSaver;
    if (canPrune) await saver.prune("bench", { keepLast: 1 });
    await close();
    return canPrune;
  });
}

/** Deletes all but the newest rows of checkpoints and writes, as a job on the database does. */
export async function prunedByHand(rival: Rival): Promise<Pruned | undefined> {
  return pruned(rival, async (storage) => {
    storage.deleteOlder(kept);
    return true;
  });
}

async function pruned(
  rival: Rival,
  prune: (storage: Storage) => Promise<boolean>,
): Promise<Pruned | undefined> {
  const storage = await talk(rival, turns);
  try {
    const expected = await newest(rival, storage);
    const bytesBefore = storage.bytes();
    if (!(await prune(storage))) return undefined;
    const read = await newest(rival, storage).catch(() => undefined);
    return {
      outcome: outcomeOf(read?.join("\n"), expected.join("\n")),
      of: expected.length,
      read: read?.length ?? 0,
      bytesBefore,
      bytesAfter: storage.bytes(),
    };
  } finally {
    storage.remove();
  }
}

/** Undefined stands for a read that failed. Pure. */
export function outcomeOf(read: string | undefined, expected: string): Outcome {
  if (read === undefined) return "noticed";
  return read === expected ? "exact" : "silent";
}
