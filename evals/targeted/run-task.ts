import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage } from "@langchain/core/messages";
import type { TargetedSystem } from "./agents/agent.js";
import type { Outcome } from "./outcome.js";
import { ModelLog } from "./agents/model-log.js";
import type { TargetedTask } from "./task.js";

export interface RunTaskOptions {
  readonly task: TargetedTask;
  readonly system: TargetedSystem;
  readonly model: BaseChatModel;
  readonly signal?: AbortSignal;
}

/**
 * Plays a task. An error that ends a turn is part of the outcome; an abort is thrown.
 */
export async function runTask({ task, system, model, signal }: RunTaskOptions): Promise<Outcome> {
  const log = new ModelLog();
  const agent = await system.start({ task, model, log });
  const answers: string[] = [];
  const deaths: string[] = [];
  try {
    for (const [index, turn] of task.turns.entries()) {
      const before = index === 0 ? (task.before ?? []) : [];
      try {
        answers.push(
          await agent.say([...before, new HumanMessage({ id: `turn-${index}`, content: turn })], signal),
        );
      } catch (error) {
        signal?.throwIfAborted();
        deaths.push(error instanceof Error ? error.message : String(error));
        answers.push("");
      }
    }
  } finally {
    agent.close();
  }
  const { prompts, calls, compactions, callsAtFirstCompaction, peakTokens, inputTokens, outputTokens } = log;
  return {
    answers,
    deaths,
    prompts,
    calls,
    compactions,
    callsAtFirstCompaction,
    peakTokens,
    inputTokens,
    outputTokens,
  };
}
