import type { BaseMessage } from "@langchain/core/messages";
import { isAi, toolCalls, type CallInfo } from "../messages/tool-calls.js";
import { isTaskStep, placeOf, tasksOf, type Task } from "./task-steps.js";

/** The agent's task list: from the newest call that wrote one whole, or from the calls that changed its tasks one by one. */
export interface PlanState {
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  readonly next: readonly string[];
}

/** The tasks of an earlier summary, in its own sections. */
type EarlierTasks = Readonly<Record<"done" | "inProgress" | "nextSteps", readonly string[]>>;

/**
 * Returns the newest task list, or undefined when no call wrote or changed one. Pure, never throws.
 *
 * @param earlier the summary of the messages before: tasks that it names are those that calls change one by one
 */
export function planState(messages: readonly BaseMessage[], earlier?: EarlierTasks): PlanState | undefined {
  const newest = messages.flatMap((message) => toolCalls(message)).findLast(isPlanCall);
  if (newest === undefined) return undefined;
  const tasks = listOf(newest)?.flatMap(taskOf) ?? tasksOf(messages, earlierTasks(earlier));
  const tasksIn = (place: keyof PlanState) =>
    tasks.flatMap((task) => (task.place === place ? task.text : []));
  return { done: tasksIn("done"), inProgress: tasksIn("inProgress"), next: tasksIn("next") };
}

function earlierTasks(earlier: EarlierTasks | undefined): readonly Task[] {
  if (earlier === undefined) return [];
  return [
    ...earlier.done.map((text) => ({ text, place: "done" as const })),
    ...earlier.inProgress.map((text) => ({ text, place: "inProgress" as const })),
    ...earlier.nextSteps.map((text) => ({ text, place: "next" as const })),
  ];
}

function isPlanCall(call: CallInfo): boolean {
  return listOf(call) !== undefined || isTaskStep(call);
}

function listOf({ args }: CallInfo): readonly unknown[] | undefined {
  const list = [args["todos"], args["plan"], args["tasks"]].find((value) => Array.isArray(value));
  return list as readonly unknown[] | undefined;
}

function taskOf(task: unknown): readonly Task[] {
  if (typeof task === "string") return [{ text: task, place: "next" }];
  const fields = (task ?? {}) as Readonly<Record<string, unknown>>;
  const text = [fields["content"], fields["step"], fields["title"], fields["description"]].find(
    (value) => typeof value === "string",
  );
  const place = placeOf(fields["status"]);
  return typeof text !== "string" || place === undefined ? [] : [{ text, place }];
}

/**
 * Returns whether the messages end at a task boundary: the user has sent a message since the newest step, or that step
 * marks a task of the list as done. Pure.
 */
export function isTaskBoundary(messages: readonly BaseMessage[]): boolean {
  const step = messages.findLastIndex(isAi);
  if (step < 0) return false;
  if (messages.slice(step + 1).some((message) => message.getType() === "human")) return true;
  if (planState(messages.slice(step)) === undefined) return false;
  const before = new Set(planState(messages.slice(0, step))?.done);
  return planState(messages)?.done.some((task) => !before.has(task)) ?? false;
}
