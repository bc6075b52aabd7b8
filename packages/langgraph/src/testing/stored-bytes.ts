import type { MemorySaver } from "@langchain/langgraph";

/** Returns the bytes of everything that a saver holds: checkpoints and pending writes. */
export function storedBytes({ storage, writes }: MemorySaver): number {
  const sizes: number[] = [];
  JSON.stringify([storage, writes], (_, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value;
    sizes.push(value.byteLength);
    return undefined;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}
