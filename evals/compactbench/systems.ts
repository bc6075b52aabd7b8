import { SummaryMeter } from "../cost/summary-meter.js";
import { deepAgentsWith } from "../policies/deep-agents.js";
import { fullHistory } from "../policies/unbudgeted.js";
import { langchainWith } from "../policies/langchain-summarization.js";
import { ladderRun } from "../policies/palimpsest-ladder.js";
import type { Policy, PolicyRun } from "../policies/policy.js";
import { policyOf } from "../table/play-system.js";
import { langchainTrimMessages } from "../table/systems/langchain-trim-messages.js";
import { ForgetfulWriter } from "./forgetful-writer.js";

/** A system that plays the cases. Every one compacts at .85 of the window and keeps the newest tenth of it. */
export interface CompactingSystem {
  readonly name: string;
  /** A bound of the scale, no rival: the window does not bind it. @default false */
  readonly isControl?: true;
  readonly isOurs?: true;
  readonly start: Policy["start"];
}

type StartOptions = Parameters<Policy["start"]>[0];

/** Share of the window that is kept word for word. The trigger is .85 of it, the default of each. */
const kept = 0.1;

/** Its first setting, that of its documentation, over the whole thread. */
const trimming = policyOf(
  langchainTrimMessages,
  Object.values(langchainTrimMessages.settings)[0]!,
  new SummaryMeter(),
);

/** The first three are the controls of CompactBench: everything, nothing, and the newest ten turns, which one could choose. */
export const compactingSystems: readonly CompactingSystem[] = [
  { name: "oracle", isControl: true, start: (options) => fullHistory.start(options) },
  { name: "null", isControl: true, start: () => ({ context: () => Promise.resolve([]) }) },
  { name: "truncate-last-n", start: lastTurns },
  { name: "langchain trimMessages", start: (options) => trimming.start(options) },
  {
    name: "langchain summarization",
    start: (options) =>
      langchainWith(() => writerFor(options), { keep: kept * options.budget }).start(options),
  },
  {
    name: "deepagents",
    start: (options) =>
      deepAgentsWith(() => writerFor(options), { keep: kept * options.budget }).start(options),
  },
  {
    name: "Palimpsest ladder, scripted summary",
    isOurs: true,
    start: (options) => ladderRun(options.budget, { model: writerFor(options), keep: { fraction: kept } }),
  },
  {
    name: "Palimpsest ladder, extracted summary",
    isOurs: true,
    start: ({ budget }) => ladderRun(budget, { keep: { fraction: kept } }),
  },
];

/** The summary model is the same for everybody that has one. */
function writerFor({ budget, seed }: StartOptions): ForgetfulWriter {
  return new ForgetfulWriter(budget, seed);
}

function lastTurns(options: StartOptions): PolicyRun {
  const all = fullHistory.start(options);
  return { context: async (added, facts) => (await all.context(added, facts)).slice(-10) };
}
