import { MeteredWriter, type SummaryMeter } from "../cost/summary-meter.js";
import { deepAgentsWith } from "../policies/deep-agents.js";
import { langchainWith } from "../policies/langchain-summarization.js";
import { ladderRun } from "../policies/palimpsest-ladder.js";
import type { PolicyRun } from "../policies/policy.js";
import { recency } from "../policies/recency.js";
import { fullHistory } from "../policies/unbudgeted.js";
import { policyOf } from "../table/play-system.js";
import { langchainTrimMessages } from "../table/systems/langchain-trim-messages.js";

/** A system that an agent runs on. Those that compact do so at .85 of the window, keep a tenth, and get the same summary model. */
export interface PlayedSystem {
  readonly name: string;
  readonly isOurs?: true;
  /** The window does not bind it. */
  readonly isControl?: true;
  start(window: number, meter: SummaryMeter): PolicyRun;
}

const keep = 0.1;

/** The setting of trimming that suits an agent: a prompt may start with a call, not only with a message of the user. */
const trimming = langchainTrimMessages.settings["starts with a call"]!;

export const playedSystems: readonly PlayedSystem[] = [
  { name: "full history", isControl: true, start: (budget) => fullHistory.start({ budget, seed: 1 }) },
  {
    name: "Palimpsest ladder",
    isOurs: true,
    start: (window, meter) => ladderRun(window, { model: new MeteredWriter(window, meter) }),
  },
  { name: "Palimpsest ladder, extracted summary", isOurs: true, start: (window) => ladderRun(window) },
  {
    name: "deepagents",
    start: (budget, meter) =>
      deepAgentsWith((window) => new MeteredWriter(window, meter), { keep: keep * budget }).start({
        budget,
        seed: 1,
      }),
  },
  {
    name: "langchain summarization",
    start: (budget, meter) =>
      langchainWith((window) => new MeteredWriter(window, meter), { keep: keep * budget }).start({
        budget,
        seed: 1,
      }),
  },
  {
    name: "langchain trimMessages",
    start: (budget, meter) => policyOf(langchainTrimMessages, trimming, meter).start({ budget, seed: 1 }),
  },
  { name: "recency", start: (budget) => recency.start({ budget, seed: 1 }) },
];
