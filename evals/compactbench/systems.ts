import type { SummaryMeter } from "../cost/summary-meter.js";
import type { SummaryWriter } from "../horizon/systems/summary-writer.js";
import { deepAgentsWith } from "../policies/deep-agents.js";
import { langchainWith } from "../policies/langchain-summarization.js";
import { ladderRun } from "../policies/palimpsest-ladder.js";
import type { Policy, PolicyRun } from "../policies/policy.js";
import { fullHistory } from "../policies/unbudgeted.js";
import { policyOf } from "../table/play-system.js";
import { langchainTrimMessages } from "../table/systems/langchain-trim-messages.js";
import { ForgetfulWriter } from "./forgetful-writer.js";

export type SystemOptions = Parameters<Policy["start"]>[0] & {
  /** Counts what a summary model reads and writes. */
  readonly meter: SummaryMeter;
};

/** A system that an agent runs on. */
export interface CompactingSystem {
  readonly name: string;
  /** A bound of the scale, no rival: the window does not bind it. @default false */
  readonly isControl?: true;
  readonly isOurs?: true;
  readonly start: (options: SystemOptions) => PolicyRun;
}

/** Share of the window that is kept word for word. The trigger is .85 of it, the default of each. */
const kept = 0.1;

/** Returns the systems that summarize, each with the same summary model, and ours without one as well. */
export function summarizingSystems(
  nameOfOurs: string,
  writerFor: (options: SystemOptions) => SummaryWriter,
): readonly CompactingSystem[] {
  const keep = { fraction: kept };
  return [
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
      name: nameOfOurs,
      isOurs: true,
      start: (options) => ladderRun(options.budget, { model: writerFor(options), keep }),
    },
    {
      name: "Palimpsest ladder, extracted summary",
      isOurs: true,
      start: ({ budget }) => ladderRun(budget, { keep }),
    },
  ];
}

/** Returns `trimMessages` with one of its settings in the table. */
export function trimmingSystem(setting: string): CompactingSystem {
  const trim = langchainTrimMessages.settings[setting]!;
  return {
    name: langchainTrimMessages.name,
    start: (options) => policyOf(langchainTrimMessages, trim, options.meter).start(options),
  };
}

/** The first three are the controls of CompactBench: everything, nothing, and the newest ten turns, which one could choose. */
export const compactingSystems: readonly CompactingSystem[] = [
  { name: "oracle", isControl: true, start: (options) => fullHistory.start(options) },
  { name: "null", isControl: true, start: () => ({ context: () => Promise.resolve([]) }) },
  { name: "truncate-last-n", start: lastTurns },
  // The setting of its documentation.
  trimmingSystem("starts with the user"),
  ...summarizingSystems(
    "Palimpsest ladder, scripted summary",
    ({ budget, seed }) => new ForgetfulWriter(budget, seed),
  ),
];

function lastTurns(options: SystemOptions): PolicyRun {
  const all = fullHistory.start(options);
  return { context: async (added, facts) => (await all.context(added, facts)).slice(-10) };
}
