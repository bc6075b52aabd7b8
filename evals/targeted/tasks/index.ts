import type { TargetedTask } from "../task.js";
import { goalChanged, goalKept } from "./goals.js";
import { langchainTests } from "./langchain-tests.js";
import { needleFound } from "./needle-found.js";
import { seedOf } from "./seed.js";

const asShipped = { window: 20_000, pages: 24 } as const;
const amplified = [0.1, 0.2].map((trigger) => ({ window: 120_000, pages: 40, trigger }));

/** Returns every task: forced summaries, the same under amplified triggers, and LangChain's five tests. */
export function targetedTasks(data: string | undefined): readonly TargetedTask[] {
  return [asShipped, ...amplified]
    .flatMap((ledger) => [goalKept(ledger), goalChanged(ledger), needleFound(ledger)])
    .concat(langchainTests(seedOf(data)));
}
