import type { QueryName } from "./next-steps.js";

/** Earlier measurements of BM25 over whole steps, at 5 and 10: what this harness must reproduce on the same copy. */
export const published: Readonly<Record<string, Readonly<Record<QueryName, readonly [number, number]>>>> = {
  "claude-code-sessions": { ownWords: [0.531, 0.77], published: [0.379, 0.591] },
  "pi-sessions": { ownWords: [0.504, 0.587], published: [0.46, 0.555] },
};
