import { stepsOf } from "../../data/steps.js";
import { oneSpacedOf } from "../../data/text-of.js";
import { playPolicy } from "../../metrics/play-policy.js";
import type { Policy } from "../../policies/policy.js";
import type { GoalForm, GoalRun } from "./goal-runs.js";

/** What the prompts of a policy hold of the goal. Shares are of the prompts after the goal was given. */
export interface GoalKept {
  readonly policy: string;
  readonly form: GoalForm;
  readonly prompts: number;
  /** The user message with the goal is there word for word. */
  readonly whole: number;
  /** The code of the goal is there, in the user's words or in a summary. */
  readonly named: number;
  /** An earlier goal is there and the current one does not. */
  readonly misled: number;
}

/** Plays runs of one form through a policy, and looks for the goal in every prompt after it was given. */
export async function measureGoal(
  runs: readonly GoalRun[],
  policy: Policy,
  budget: number,
): Promise<GoalKept> {
  let [prompts, whole, named, misled] = [0, 0, 0, 0];
  for (const run of runs) {
    const said = run.messages.find(({ id }) => id === run.goal.id)?.text ?? "";
    let given = false;
    for await (const { step, context } of playPolicy(stepsOf(run), policy, { budget })) {
      given ||= step.added.some(({ id }) => id === run.goal.id);
      if (!given) continue;
      const text = oneSpacedOf(context);
      prompts++;
      if (text.includes(said)) whole++;
      const isNamed = text.includes(run.goal.code);
      if (isNamed) named++;
      else if (run.earlier !== undefined && text.includes(run.earlier)) misled++;
    }
  }
  const form = runs[0]?.form;
  if (form === undefined || prompts === 0) throw new Error("No prompt came after the goal was given");
  return {
    policy: policy.name,
    form,
    prompts,
    whole: whole / prompts,
    named: named / prompts,
    misled: misled / prompts,
  };
}
