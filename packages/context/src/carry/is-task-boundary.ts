import type { BaseMessage } from "@langchain/core/messages";
import { isAi } from "../tool-calls.js";
import { planState } from "./plan-state.js";

/**
 * Returns whether a piece of work ends where these messages end: the user has asked for something new, or the newest
 * step has marked a task of the list as done. Pure.
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
