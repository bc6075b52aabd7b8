import type { BaseMessage } from "@langchain/core/messages";
import type { Summary } from "../summary.js";
import { userConstraints } from "../user-constraints.js";
import { fileLedger } from "./file-ledger.js";
import { newestThatFit } from "./newest-that-fit.js";
import { isTask, unfinishedCalls } from "./open-calls.js";
import { planState } from "./plan-state.js";
import { sideEffects } from "./side-effects.js";

export type CarriedState = Pick<
  Summary,
  "constraints" | "artifacts" | "done" | "inProgress" | "nextSteps" | "sideEffects" | "index"
>;

/** Characters that each section may have; the newest entries stay. */
const most = { constraints: 12_000, done: 2_000, nextSteps: 4_000, sideEffects: 3_000 };

/**
 * Returns what a summary says without asking a model: rules, files, tasks, calls under way and their effects.
 *
 * Pure. Taken from the user's words and the tool calls themselves, and carried on from the `earlier` summary.
 */
export function carriedState(messages: readonly BaseMessage[], earlier: Summary): CarriedState {
  const plan = planState(messages);
  const under = [...(plan?.inProgress ?? earlier.inProgress.filter(isTask)), ...unfinishedCalls(messages)];
  const told = plan === undefined ? earlier.done : earlier.done.filter((one) => !isOpen(one, plan));
  return {
    constraints: merged(earlier.constraints, userConstraints(messages), most.constraints),
    artifacts: fileLedger(messages, earlier.artifacts),
    done: merged(told, plan?.done ?? [], most.done),
    inProgress: merged([], under, most.done),
    nextSteps: plan === undefined ? earlier.nextSteps : merged([], plan.next, most.nextSteps),
    sideEffects: merged(earlier.sideEffects, sideEffects(messages), most.sideEffects),
    index: earlier.index,
  };
}

/** A task that the agent has taken up again is not done any more. */
function isOpen(task: string, { inProgress, next }: NonNullable<ReturnType<typeof planState>>): boolean {
  return inProgress.includes(task) || next.includes(task);
}

function merged(earlier: readonly string[], fresh: readonly string[], characters: number): readonly string[] {
  const all = [...earlier, ...fresh].map((text) => text.replace(/\s+/g, " ").trim());
  return newestThatFit([...new Set(all)], characters);
}
