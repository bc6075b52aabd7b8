import { budgetedPolicy } from "./budgeted-policy.js";

/** The newest chunks that fit. */
export const recency = budgetedPolicy({
  name: "recency",
  start: () => ({
    fill: ({ log, take }) => log.chunks.toReversed().forEach(take),
  }),
});
