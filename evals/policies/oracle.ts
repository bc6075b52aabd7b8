import { isIn } from "../metrics/is-in.js";
import type { Chunk } from "../data/chunks.js";
import { budgetedPolicy, type Fill } from "./budgeted-policy.js";

/** The chunks that the next step needs, the most missing atoms per token first: the ceiling. It reads the future. */
export const oracle = budgetedPolicy({ name: "oracle (ceiling)", start: () => ({ fill: cover }) });

const cover: Fill = ({ log, facts, chosen, left, take }) => {
  let missing = facts.needed.filter((text) => ![...chosen].some((chunk) => holds(chunk, text)));
  while (missing.length > 0) {
    const best = log.chunks
      .filter((chunk) => !chosen.has(chunk) && chunk.tokens <= left())
      .map((chunk) => ({ chunk, value: missing.filter((text) => holds(chunk, text)).length / chunk.tokens }))
      .reduce((most, one) => (one.value > most.value ? one : most), {
        chunk: undefined,
        value: 0,
      } as Candidate);
    if (best.chunk === undefined) return;
    const { chunk } = best;
    take(chunk);
    missing = missing.filter((text) => !holds(chunk, text));
  }
};

interface Candidate {
  readonly chunk: Chunk | undefined;
  readonly value: number;
}

function holds(chunk: Chunk, text: string): boolean {
  return chunk.messages.some((message) => isIn(message, text));
}
