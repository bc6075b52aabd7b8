import type { RecallIndex } from "../recall-index.js";

export const texts = ["A sparrow sat on the roof.", "The harbour was empty.", "Put the flour into a bowl."];

/** Adds three small files of a thread and returns the index. */
export async function fill(given: RecallIndex | Promise<RecallIndex>, thread = "t1"): Promise<RecallIndex> {
  const index = await given;
  for (const [at, text] of texts.entries()) {
    await index.addFile({ thread, path: `/context/results/${at}.txt`, kind: "results", step: at, text });
  }
  return index;
}

/** Returns a file with one word that no other file has. Pure. */
export function fileOf(thread: string, name: string, at: number) {
  const lines = Array.from({ length: 30 }, (_, line) => `line ${line} of ${name} ${at % 5}`);
  const text = [...lines, `zebra${name}x${at}`].join("\n");
  return { thread, path: `/context/results/${name}-${at}.txt`, kind: "results", text };
}
