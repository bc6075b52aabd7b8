import type { RecallIndex } from "../recall-index.js";

export const texts = ["A sparrow sat on the roof.", "The harbour was empty.", "Put the flour into a bowl."];

/** Returns the index with three small files of a thread in it. */
export async function fill(given: RecallIndex | Promise<RecallIndex>, thread = "t1"): Promise<RecallIndex> {
  const index = await given;
  for (const [at, text] of texts.entries()) {
    await index.addFile({ thread, path: `/context/results/${at}.txt`, kind: "results", step: at, text });
  }
  return index;
}
