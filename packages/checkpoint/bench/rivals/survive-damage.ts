import { everything, talk, type Outcome } from "./read-back.js";
import type { Rival } from "./rivals.js";
import { seeded, type Random, type Storage } from "./storage.js";
import { outcomeOf } from "./survive-pruning.js";

export type Damage = Readonly<Record<Outcome, number>>;

const turns = 8;

/** Damages copies of a thread in one place each, and reads all that they hold. Returns how many reads ended how. */
export async function damage(
  rival: Rival,
  trials: number,
  harm: (storage: Storage, random: Random) => void,
): Promise<Damage> {
  const storage = await talk(rival, turns);
  const random = seeded(7);
  const found = { exact: 0, noticed: 0, silent: 0 };
  try {
    const expected = await everything(rival, storage);
    for (let trial = 0; trial < trials; trial++) {
      const copy = storage.copy();
      harm(copy, random);
      const read = await everything(rival, copy).catch(() => undefined);
      found[outcomeOf(read, expected)] += 1;
      copy.remove();
    }
  } finally {
    storage.remove();
  }
  return found;
}

export function flipBit(storage: Storage, random: Random): void {
  storage.flip(random);
}

export function dropRow(storage: Storage, random: Random): void {
  storage.drop(random);
}
