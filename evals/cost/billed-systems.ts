import type { ContextOptions } from "@palimpsest/langgraph";
import { cumulativeSummary } from "../policies/cumulative-summary.js";
import { deepAgentsWith, type DeepAgentsSettings } from "../policies/deep-agents.js";
import { palimpsestFolding } from "../policies/folding.js";
import { fullHistory, maskResults } from "../policies/unbudgeted.js";
import { langchainWith, type LangchainSettings } from "../policies/langchain-summarization.js";
import { ladderWith, planner, tightOptions } from "../policies/palimpsest-planned.js";
import type { Policy } from "../policies/policy.js";
import { recency } from "../policies/recency.js";
import { MeteredWriter, SummaryMeter } from "./summary-meter.js";

/** A system at one of its settings. */
export interface BilledSystem {
  readonly system: string;
  readonly setting: string;
  readonly isOurs: boolean;
  /** Who writes the summaries: a model, which is paid; a program, for nothing; or nobody. */
  readonly author: "model" | "program" | "nobody";
  readonly policy: Policy;
  /** Counts the calls of its summary model. */
  readonly meter?: SummaryMeter;
  /** Shows the same in every window, and may not fit. */
  readonly unbudgeted?: true;
}

type OurOptions = Omit<ContextOptions, "files">;

/** Returns the options with more limits. */
function within(limits: OurOptions["limits"], options: OurOptions): OurOptions {
  return { ...options, limits: { ...options.limits, ...limits } };
}

/** Little text of the user beside the first and the newest message, and no excerpts. */
const little = { excerpts: 0, userMessages: 500, userLines: 300 };

/** Nothing beside the summary, the first and the newest user message, and the newest step. */
const smallest = within(little, tightOptions);

/** What langchain's summarization reads with its defaults, in tokens. */
const summaryInput = 4_000;

/** Summaries that read and take few tokens. */
const short = { summaryInput, summary: 600 };

/** As little as "smallest", with short summaries. Offloads no result before a compaction. */
const lean = { planner, keep: { tokens: 500 }, limits: { ...little, ...short } };

const ourSettings: Readonly<Record<string, OurOptions>> = {
  default: {},
  "keep 500, trigger 0.5": { keep: { tokens: 500 }, trigger: { fraction: 0.5 } },
  planned: { planner },
  "planned, summaries of 4,000": { planner, limits: { summaryInput } },
  "planned, keep 20 messages": { planner, keep: { messages: 20 } },
  "planned, keep 20 messages, summaries of 4,000": {
    planner,
    keep: { messages: 20 },
    limits: { summaryInput },
  },
  "planned, offload 1,000": { planner, limits: { offload: 1_000 } },
  "offload 2,000": { limits: { offload: 2_000 } },
  "planned, offload 1,500": { planner, limits: { offload: 1_500 } },
  "planned, offload 2,000": { planner, limits: { offload: 2_000 } },
  "offload 1,000, summaries of 4,000": { limits: { offload: 1_000, summaryInput } },
  "offload 1,500, summaries of 4,000": { limits: { offload: 1_500, summaryInput } },
  tight: tightOptions,
  smallest,
  "smallest, trigger 0.5": { ...smallest, trigger: { fraction: 0.5 } },
  "tight, summaries of 4,000": within({ summaryInput }, tightOptions),
  "tight, short summaries of 4,000": within(short, tightOptions),
  "smallest, summaries of 4,000": within({ summaryInput }, smallest),
  "smallest, short summaries of 4,000": within(short, smallest),
  "smallest, trigger 0.5, short summaries of 4,000": {
    ...within(short, smallest),
    trigger: { fraction: 0.5 },
  },
  "smallest, trigger 0.3, short summaries of 4,000": {
    ...within(short, smallest),
    trigger: { fraction: 0.3 },
  },
  "lean, trigger 0.5": { ...lean, trigger: { fraction: 0.5 } },
  "keep 500, summaries of 4,000": { keep: { tokens: 500 }, limits: { summaryInput } },
  lean,
};

/** Settings that are also played with extracted summaries. */
const extractedSettings = [
  "default",
  "planned",
  "planned, keep 20 messages",
  "tight",
  "smallest, trigger 0.5",
];

const deepAgentsSizes: Readonly<Record<string, DeepAgentsSettings>> = {
  default: {},
  "keep 500": { keep: 500 },
  "keep 20 messages": { keepMessages: 20 },
  "evict 1,000": { evict: 1_000 },
  "evict 1,500": { evict: 1_500 },
  "evict 2,000": { evict: 2_000 },
  "evict 1,000, keep 20 messages": { evict: 1_000, keepMessages: 20 },
  tight: { keep: 500, evict: 1_000 },
  "tight, trigger 0.5": { keep: 500, evict: 1_000, trigger: 0.5 },
  "tight, trigger 0.3": { keep: 500, evict: 1_000, trigger: 0.3 },
};

/** Every knob that ours turn: with those of langchain, as many settings as ours. */
const deepAgentsSettings: Readonly<Record<string, DeepAgentsSettings>> = {
  ...deepAgentsSizes,
  ...Object.fromEntries(
    Object.entries(deepAgentsSizes).map(([name, setting]) => [
      `${name}, summaries of 4,000`,
      { ...setting, summaryInput },
    ]),
  ),
};

const langchainSettings: Readonly<Record<string, LangchainSettings>> = {
  default: {},
  "keep 500": { keep: 500 },
  "keep 500, trigger 0.5": { keep: 500, trigger: 0.5 },
  "keep 500, trigger 0.3": { keep: 500, trigger: 0.3 },
};

/** Returns every system at every setting. The same knobs turn all of them; the same script writes all summaries. */
export function billedSystems(): readonly BilledSystem[] {
  return [
    { ...baseline("full history", fullHistory), unbudgeted: true },
    { ...baseline("mask", maskResults(3), "M = 3"), unbudgeted: true },
    { ...baseline("mask", maskResults(10), "M = 10"), unbudgeted: true },
    baseline("recency", recency),
    { ...baseline("cumulative summary", cumulativeSummary), author: "program" },
    ...settingsOf("langchain", langchainSettings, (setting, meter) =>
      langchainWith((window) => new MeteredWriter(window, meter), setting),
    ),
    ...settingsOf("deepagents", deepAgentsSettings, (setting, meter) =>
      deepAgentsWith((window) => new MeteredWriter(window, meter), setting),
    ),
    ...settingsOf("Palimpsest", ourSettings, (setting, meter) =>
      ladderWith("Palimpsest", (window) => ({ ...setting, model: new MeteredWriter(window, meter) })),
    ),
    ...extractedSettings.map((setting) =>
      extracted(
        setting,
        ladderWith("Palimpsest", () => ourSettings[setting] ?? {}),
      ),
    ),
    extracted("folding", palimpsestFolding),
  ];
}

function settingsOf<Settings>(
  system: string,
  settings: Readonly<Record<string, Settings>>,
  policyOf: (setting: Settings, meter: SummaryMeter) => Policy,
): readonly BilledSystem[] {
  return Object.entries(settings).map(([setting, given]) => {
    const meter = new SummaryMeter();
    const policy = policyOf(given, meter);
    return { system, setting, isOurs: system === "Palimpsest", author: "model", policy, meter };
  });
}

function extracted(setting: string, policy: Policy): BilledSystem {
  return { ...baseline("Palimpsest", policy, `${setting}, extractive`), isOurs: true, author: "program" };
}

function baseline(system: string, policy: Policy, setting = "–"): BilledSystem {
  return { system, setting, isOurs: false, author: "nobody", policy };
}
