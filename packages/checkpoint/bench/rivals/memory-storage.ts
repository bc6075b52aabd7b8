import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { chosen, type Random, type Storage } from "./storage.js";

type Kept = Pick<MemorySaver, "storage" | "writes">;

/** A stored value, or the place of a row. */
interface Place {
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string;
}

/** What a MemorySaver holds. "Damage" is that of its objects. */
export function memoryStorage({ storage, writes }: Kept = new MemorySaver()): Storage {
  return {
    open: () => ({
      saver: Object.assign(new MemorySaver(), { storage, writes }),
      close: async () => undefined,
    }),
    bytes: () => bytesIn(storage) + bytesIn(writes),
    copy: () => memoryStorage(structuredClone({ storage, writes })),
    flip: (random) => flip([...bytesAt(storage), ...bytesAt(writes)], random),
    drop: (random) => {
      const { holder, key } = chosen(chosen([checkpointsIn(storage), writesIn(writes)], random), random);
      Reflect.deleteProperty(holder, key);
    },
    deleteOlder: (keep) => deleteOlder({ storage, writes }, keep),
    remove: () => undefined,
  };
}

function flip(places: readonly Place[], random: Random): void {
  const { holder, key } = chosen(places, random, (place) => valueAt(place).length);
  const changed = valueAt({ holder, key }).slice();
  const at = Math.floor(random() * changed.length);
  changed[at] = (changed[at] ?? 0) ^ 1;
  Reflect.set(holder, key, changed);
}

function valueAt({ holder, key }: Place): Uint8Array {
  return Reflect.get(holder, key) as Uint8Array;
}

function bytesAt(value: object): Place[] {
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) => {
    if (part instanceof Uint8Array) return [{ holder: value as Place["holder"], key }];
    return typeof part === "object" && part !== null ? bytesAt(part) : [];
  });
}

function checkpointsIn(storage: Kept["storage"]): Place[] {
  return Object.values(storage).flatMap((spaces) =>
    Object.values(spaces).flatMap((holder) => Object.keys(holder).map((key) => ({ holder, key }))),
  );
}

function writesIn(writes: Kept["writes"]): Place[] {
  return Object.values(writes).flatMap((holder) => Object.keys(holder).map((key) => ({ holder, key })));
}

function deleteOlder({ storage, writes }: Kept, keep: number): void {
  const newestFirst = checkpointsIn(storage).toSorted((a, b) => (a.key < b.key ? 1 : -1));
  for (const { holder, key } of newestFirst.slice(keep)) {
    Reflect.deleteProperty(holder, key);
    for (const name of Object.keys(writes)) if (name.includes(key)) Reflect.deleteProperty(writes, name);
  }
}

function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array || typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + bytesIn(part), 0);
}
