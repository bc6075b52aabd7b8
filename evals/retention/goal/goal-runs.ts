import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { madeStep } from "../../data/made/made-step.js";
import { randomFrom } from "../../data/random-from.js";
import type { Trajectory } from "../../data/trajectory.js";

/** When the goal that counts is given. */
export const goalForms = ["first message", "given in mid-run", "changed in mid-run"] as const;
export type GoalForm = (typeof goalForms)[number];

/** A generated run, and what it is about from `from` on. */
export interface GoalRun extends Trajectory {
  readonly form: GoalForm;
  /** The user message that holds the current goal. Neither the first (unless `form` says so) nor the newest one. */
  readonly goal: { readonly id: string; readonly code: string };
  /** The code of the goal that no longer counts, where there was one. */
  readonly earlier?: string;
}

const goals = {
  ledger: {
    code: "heron-42",
    text: "Survey every host, and end with one line: heron-42, then the sum of all ports.",
  },
  roster: {
    code: "crane-17",
    text: "Stop the survey of ports. From now on list each host whose build is odd, and end with one line: crane-17, then their number.",
  },
  hello: "Hello. Look at the first hosts, and tell me what they are.",
} as const;
/** The user says something small so often, in steps. */
const chatEvery = 9;

/**
 * Returns a run of about 500 tokens a step. The goal comes at a third of the run, or changes there; the user speaks before
 * and after it, so that a system that keeps the first and the newest message alone loses it.
 */
export function goalRun({ form, seed, steps }: { form: GoalForm; seed: number; steps: number }): GoalRun {
  const random = randomFrom(seed);
  const turn = Math.floor(steps / 3);
  const said = (step: number): string | undefined => {
    if (step === 0) return form === "given in mid-run" ? goals.hello : goals.ledger.text;
    if (step === turn && form !== "first message")
      return form === "changed in mid-run" ? goals.roster.text : goals.ledger.text;
    return step % chatEvery === 4 ? `Thanks for part ${step}. Go on.` : undefined;
  };
  const messages: BaseMessage[] = [];
  for (let step = 0; step < steps; step++) {
    const words = said(step);
    if (words !== undefined) messages.push(new HumanMessage({ id: `u${step}`, content: words }));
    messages.push(...stepOf(step, random));
  }
  const goal = form === "changed in mid-run" ? goals.roster : goals.ledger;
  return {
    set: "generated",
    id: `goal-${form.replaceAll(" ", "-")}-${seed}`,
    messages,
    form,
    goal: { id: form === "first message" ? "u0" : `u${turn}`, code: goal.code },
    ...(form === "changed in mid-run" ? { earlier: goals.ledger.code } : {}),
  };
}

/** The agent says so often what comes next, in steps. */
const planEvery = 10;

/** Returns what the agent said last, at or before a step, about what comes next. */
export function nextAt(step: number): string {
  return `rack-n${Math.floor(step / planEvery) * 37 + 11}`;
}

function stepOf(step: number, random: () => number): readonly BaseMessage[] {
  const plan = step % planEvery === 0 ? ` After this part the next step is ${nextAt(step)}.` : "";
  const lines = Array.from(
    { length: 30 },
    (_, line) =>
      `host-${step} service ${line} listens on ${Math.floor(random() * 60_000)}, build ${line * 31 + step}`,
  );
  const args = { path: `hosts/host-${step}.md` };
  const said = `Reading host-${step}.${plan}`;
  return madeStep({ id: step, said, name: "read_file", args, result: lines.join("\n") });
}
