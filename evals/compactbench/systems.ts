import { SummaryMeter } from "../cost/summary-meter.js";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import { deepAgentsWith } from "../policies/deep-agents.js";
import { fullHistory } from "../policies/full-history.js";
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

/** The scripted models that all systems with a model get. */
const models: Readonly<Record<string, (window: number, seed: number) => SummaryWriter>> = {
  "newest lines": (window) => new SummaryWriter(window),
  forgetful: (window, seed) => new ForgetfulWriter(window, seed),
};

/** Share of the window that is kept word for word. The trigger is .85 of it, the default of each. */
const kept = 0.1;

/** Its first setting, that of its documentation, over the whole thread. */
const trimming = policyOf(
  langchainTrimMessages,
  Object.values(langchainTrimMessages.settings)[0]!,
  new SummaryMeter(),
);

/** The bounds are those of CompactBench: `oracle` loses nothing, `null` has nothing, `truncate-last-n` keeps ten turns. */
export const compactingSystems: readonly CompactingSystem[] = [
  { name: "oracle", isControl: true, start: (options) => fullHistory.start(options) },
  { name: "null", isControl: true, start: () => ({ context: () => Promise.resolve([]) }) },
  { name: "truncate-last-n", start: lastTurns },
  { name: "langchain trimMessages", start: (options) => trimming.start(options) },
  ...Object.entries(models).flatMap(([model, modelOf]) => withModel(model, modelOf)),
  {
    name: "Palimpsest ladder, extracted",
    isOurs: true,
    start: ({ budget }) => ladderRun(budget, { keep: { fraction: kept } }),
  },
];

function withModel(
  model: string,
  modelOf: (window: number, seed: number) => SummaryWriter,
): readonly CompactingSystem[] {
  return [
    {
      name: `langchain summarization, ${model}`,
      start: (options) =>
        langchainWith((window) => modelOf(window, options.seed), { keep: kept * options.budget }).start(
          options,
        ),
    },
    {
      name: `deepagents, ${model}`,
      start: (options) =>
        deepAgentsWith((window) => modelOf(window, options.seed), { keep: kept * options.budget }).start(
          options,
        ),
    },
    {
      name: `Palimpsest ladder, ${model}`,
      isOurs: true,
      start: ({ budget, seed }) =>
        ladderRun(budget, { model: modelOf(budget, seed), keep: { fraction: kept } }),
    },
  ];
}

function lastTurns(options: Parameters<Policy["start"]>[0]): PolicyRun {
  const all = fullHistory.start(options);
  return { context: async (added, facts) => (await all.context(added, facts)).slice(-10) };
}
