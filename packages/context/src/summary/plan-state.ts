import type { BaseMessage } from "@langchain/core/messages";
import { isAi, toolCalls } from "../messages/tool-calls.js";

/** The agent's task list, from the newest call that wrote one. */
export interface PlanState {
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  readonly next: readonly string[];
}

/** Returns the newest task list, or undefined when no call wrote one. Pure, never throws. */
export function planState(messages: readonly BaseMessage[]): PlanState | undefined {
  const lists = messages.flatMap((message) => toolCalls(message)).map(({ args }) => listOf(args));
  const list = lists.findLast((one) => one !== undefined);
  if (list === undefined) return undefined;
  const tasks = list.flatMap(taskOf);
  const tasksIn = (place: keyof PlanState) =>
    tasks.flatMap((task) => (task.place === place ? task.text : []));
  return { done: tasksIn("done"), inProgress: tasksIn("inProgress"), next: tasksIn("next") };
}

function listOf(args: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  const list = [args["todos"], args["plan"], args["tasks"]].find((value) => Array.isArray(value));
  return list as readonly unknown[] | undefined;
}

function taskOf(task: unknown): readonly { readonly text: string; readonly place: keyof PlanState }[] {
  if (typeof task === "string") return [{ text: task, place: "next" }];
  const fields = (task ?? {}) as Readonly<Record<string, unknown>>;
  const text = [fields["content"], fields["step"], fields["title"], fields["description"]].find(
    (value) => typeof value === "string",
  );
  if (typeof text !== "string") return [];
  const status = typeof fields["status"] === "string" ? fields["status"] : "";
  if (/^(completed?|done|finished)$/i.test(status)) return [{ text, place: "done" }];
  return [{ text, place: /progress|active|doing/i.test(status) ? "inProgress" : "next" }];
}

/**
 * Returns whether the messages end at a task boundary: the user has sent a message since the newest step, or that step
 * marks a task of the list as done. Pure.
 */
export function isTaskBoundary(messages: readonly BaseMessage[]): boolean {
  const step = messages.findLastIndex(isAi);
  if (step < 0) return false;
  if (messages.slice(step + 1).some((message) => message.getType() === "human")) return true;
  const now = planState(messages.slice(step));
  if (now === undefined) return false;
  const before = new Set(planState(messages.slice(0, step))?.done);
  return now.done.some((task) => !before.has(task));
}
