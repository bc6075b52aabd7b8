import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "@palimpsest/context/internal";
import { addedIllegalities } from "@palimpsest/context/testing";
import { stepsOf, type Step } from "../data/steps.js";
import { charsOverFour, textOf } from "../data/text-of.js";
import type { Trajectory } from "../data/trajectory.js";
import { isIn } from "../metrics/is-in.js";
import { playPolicy } from "../metrics/play-policy.js";
import { provenanceOf } from "../metrics/provenance.js";
import type { BilledSystem } from "./billed-systems.js";
import { constraintWords, coverage } from "./constraints.js";
import { prefixOf } from "./prefix.js";
import type { SummaryTokens } from "./summary-meter.js";
import { userGoals } from "../data/user-goals.js";

/** One model call of a policy. Tokens are of four characters. */
export interface CallCost {
  readonly tokens: number;
  readonly cached: number;
  readonly isBroken: boolean;
  /** No message, or none but those of the system. */
  readonly isEmpty: boolean;
  /** What the summary model read and wrote before the call. */
  readonly summary: SummaryTokens;
  /** Tokens that the agent would have to read again at least. */
  readonly reRead: number;
  /** Share of what the call needs that is in its context; undefined where it needs nothing. */
  readonly recall: number | undefined;
  /** Rules of providers that the prompt broke and the thread did not; looked at in every eighth prompt. */
  readonly illegal: number;
  /** The first and the latest user message are there word for word. */
  readonly hasGoal: boolean;
  /** Share of the words of the user's constraints; undefined where there are none. */
  readonly constraints: number | undefined;
  /** The same for the constraints of another run: what is there by chance. */
  readonly control: number | undefined;
}

/** Every eighth prompt is checked against the rules of providers; the replay suite checks all of ours. */
const checkedCall = 8;

type Played = Pick<BilledSystem, "policy" | "meter">;

export interface MeasureCostOptions {
  readonly window: number;
  /** A run whose constraints are the control. @default the run itself */
  readonly other?: Trajectory | undefined;
}

/** Returns what each model call of each run costs under a policy. */
export async function measureRuns(
  trajectories: readonly Trajectory[],
  played: Played,
  options: MeasureCostOptions,
): Promise<readonly (readonly CallCost[])[]> {
  const runs: (readonly CallCost[])[] = [];
  for (const trajectory of trajectories) runs.push(await measureCost(trajectory, played, options));
  return runs;
}

/** Returns what each model call of a run costs under a policy. */
async function measureCost(
  trajectory: Trajectory,
  { policy, meter }: Played,
  { window, other = trajectory }: MeasureCostOptions,
): Promise<readonly CallCost[]> {
  const calls: CallCost[] = [];
  const thread: BaseMessage[] = [];
  const control = constraintWords(other.messages);
  let constraints: readonly string[] = [];
  let before: readonly BaseMessage[] = [];
  for await (const { step, context } of playPolicy(stepsOf(trajectory), policy, { budget: window })) {
    thread.push(...step.added);
    const recall = step.needed.length === 0 ? undefined : provenanceOf(step, context).all;
    constraints = [...new Set([...constraints, ...constraintWords(step.added)])];
    calls.push({
      ...prefixOf(before, context),
      isEmpty: context.every((message) => message.getType() === "system"),
      summary: meter?.take() ?? { input: 0, output: 0 },
      reRead: recall === undefined || recall === 1 ? 0 : reReadTokens(step, thread, context),
      recall,
      illegal: calls.length % checkedCall === 0 ? addedIllegalities(thread, context).length : 0,
      hasGoal: hasGoal(thread, context),
      constraints: coverage(constraints, context),
      control: coverage(control, context),
    });
    before = [...context];
  }
  return calls;
}

function hasGoal(thread: readonly BaseMessage[], context: readonly BaseMessage[]): boolean {
  return userGoals(thread).every((goal) => {
    const text = messageText(goal);
    return context.some((message) => messageText(message).includes(text));
  });
}

/**
 * Returns the tokens, of four characters, that an agent would at least have to read again before a step: for all that the
 * step needs and the context lacks, the smallest messages that have it.
 */
function reReadTokens(step: Step, thread: readonly BaseMessage[], context: readonly BaseMessage[]): number {
  const missing = step.needed.filter(({ text }) => !context.some((message) => isIn(message, text)));
  const read = new Set<BaseMessage>();
  for (const { text } of missing) {
    if ([...read].some((message) => isIn(message, text))) continue;
    const sources = thread.filter((message) => isIn(message, text));
    const smallest = sources.toSorted((one, other) => textOf(one).length - textOf(other).length).at(0);
    if (smallest !== undefined) read.add(smallest);
  }
  return charsOverFour([...read]);
}
