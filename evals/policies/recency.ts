import { budgetedPolicy } from "./budgeted-policy.js";

/** The newest chunks that fit. */
export const recency = budgetedPolicy({
  name: "recency",
  start: () => ({
    fill: ({ log, take }) => log.chunks.toReversed().forEach(take),
  }),
});

/** Random chunks: the control that every selection has to beat. */
export const randomRetention = budgetedPolicy({
  name: "random (control)",
  start: () => ({
    fill({ log, random, take }) {
      const order = log.chunks.map((chunk) => ({ chunk, at: random() })).toSorted((a, b) => a.at - b.at);
      for (const { chunk } of order) take(chunk);
    },
  }),
});
