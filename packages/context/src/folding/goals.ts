import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../messages/text.js";
import { isAi, toolCalls } from "../messages/tool-calls.js";
import { isSummary } from "../summary/plan-summary.js";
import { foldContextName, goalTag } from "./directives.js";
import { foldUnits } from "./fold-units.js";

/** What the agent is working toward, as it was put at a step. */
export interface Goal {
  readonly text: string;
  /** Step at which it was set; 0 for what the user asked first. */
  readonly step: number;
}

/** Goals that are remembered: the first one, and the newest of the others. */
const most = 6;

/** Returns the goal that the first user message states, word for word, or undefined. Pure. */
export function extractGoal(messages: readonly BaseMessage[]): Goal | undefined {
  const first = messages.find((message) => message.getType() === "human" && !isSummary(message));
  return first === undefined ? undefined : { text: messageText(first).trim(), step: 0 };
}

/**
 * Returns the goals of a thread, oldest first, the last one current: those known, and what the messages add to them.
 *
 * A goal is set by the first user message, by the model's `<goal>`, and by the `goal` of a `fold_context` call. An
 * earlier one is kept beside it. Pure and idempotent.
 */
export function goalsOf(messages: readonly BaseMessage[], known: readonly Goal[] = []): readonly Goal[] {
  const first = known.length > 0 ? [] : [extractGoal(messages)].filter((goal) => goal !== undefined);
  const goals = [...known, ...first];
  // Steps are counted only where there is a goal to date: this runs at every step.
  const isStated = messages.some((message) => goalsIn(message).length > 0);
  for (const unit of isStated ? foldUnits(messages) : []) {
    if (unit.kind !== "raw") continue;
    for (const text of unit.messages.flatMap(goalsIn)) {
      if (!goals.some((goal) => goal.text === text)) goals.push({ text, step: unit.endStep });
    }
  }
  if (goals.length === known.length) return known;
  return goals.length <= most ? goals : [...goals.slice(0, 1), ...goals.slice(1 - most)];
}

function goalsIn(message: BaseMessage): readonly string[] {
  if (!isAi(message)) return [];
  const called = toolCalls(message).flatMap(({ name, args }) =>
    name === foldContextName && typeof args["goal"] === "string" ? [args["goal"].trim()] : [],
  );
  return [goalTag(messageText(message)), ...called].filter(
    (goal) => goal !== undefined && goal !== "",
  ) as string[];
}
