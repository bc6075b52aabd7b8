import type { ContextOptions } from "@palimpsest/langgraph";
import { cumulativeSummary } from "../../policies/cumulative-summary.js";
import { deepAgents } from "../../policies/deep-agents.js";
import { palimpsestFolding } from "../../policies/folding.js";
import { fullHistory, lastSteps } from "../../policies/unbudgeted.js";
import { langchainSummarization } from "../../policies/langchain-summarization.js";
import { pace } from "../../policies/pace.js";
import { palimpsestLadder } from "../../policies/palimpsest-ladder.js";
import { palimpsestPlanned } from "../../policies/palimpsest-planned.js";
import type { Policy } from "../../policies/policy.js";
import { predictiveNode } from "../../policies/predictive-node.js";
import { recency } from "../../policies/recency.js";
import type { SuiteOptions, SuitePart } from "../../suite.js";
import { ablatePrompt, obedientSummarizer, promptVariants, type Ablated } from "./ablate-prompt.js";
import { goalForms, goalRun, type GoalForm, type GoalRun } from "./goal-runs.js";
import { driftTable, measureDrift } from "./measure-drift.js";
import { measureGoal, type GoalKept } from "./measure-goal.js";
import { reportGoal } from "./report-goal.js";

/** Strategies of ours that have to keep the goal word for word. */
const ours: readonly Policy[] = [
  palimpsestLadder,
  palimpsestPlanned,
  palimpsestFolding,
  predictiveNode(),
  predictiveNode(undefined, "pace"),
];
const rivals: readonly Policy[] = [
  deepAgents,
  langchainSummarization,
  cumulativeSummary,
  recency,
  lastSteps(10),
  pace(),
];

/** The windows and models of the suite, and the recorded runs in which drift is measured. */
export interface GoalOptions extends Pick<SuiteOptions, "data" | "quick" | "progress"> {
  readonly contextWindow: number;
  readonly steps: number;
  /** A model beside the scripted one, to ablate the prompt with. @default none */
  readonly live?: Readonly<Record<string, () => NonNullable<ContextOptions["model"]>>>;
}

/**
 * Whether the goal stays in the prompt when it comes first, in mid-run or changes in mid-run, and what two sections of the
 * summary prompt are worth.
 */
export async function goal(options: GoalOptions): Promise<SuitePart> {
  const { data, quick = false, progress, contextWindow, steps, live = {} } = options;
  const seeds = quick || data === undefined ? [1] : [1, 2];
  const runsOf = (form: GoalForm) => seeds.map((seed) => goalRun({ form, seed, steps }));
  const kept: GoalKept[] = [];
  for (const form of goalForms) {
    // The full history is the ceiling: nobody's rival.
    for (const policy of [...ours, ...rivals, fullHistory]) {
      progress(`${form}, ${policy.name}`);
      kept.push(await measureGoal(runsOf(form), policy, contextWindow));
    }
  }
  const models = { obedient: obedientSummarizer, ...live };
  const ablated = await ablateAll(runsOf("changed in mid-run"), models, options);
  const result = reportGoal({ kept, ablated, window: contextWindow, ours, rivals });
  const drift = data === undefined ? [] : [driftTable(await measureDrift(data))];
  return { ...result, tables: [...result.tables, ...drift] };
}

/** Ablates the prompt of each model. */
async function ablateAll(
  runs: readonly GoalRun[],
  models: NonNullable<GoalOptions["live"]>,
  { quick = false, contextWindow, progress }: GoalOptions,
): Promise<readonly Ablated[]> {
  const ablated: Ablated[] = [];
  for (const [summary, model] of Object.entries(models)) {
    for (const variant of promptVariants) {
      progress(`${summary} summary, prompt ${variant.name}`);
      const how = { summary, model, contextWindow, compactions: quick ? 4 : 10 };
      ablated.push(await ablatePrompt(runs, variant, how));
    }
  }
  return ablated;
}
