import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { TargetedTask, Vocabulary } from "../task.js";
import type { ModelLog } from "./model-log.js";

export interface AgentOptions {
  readonly task: TargetedTask;
  readonly model: BaseChatModel;
  readonly log: ModelLog;
}

/** An agent of a system, set up for one task. */
export interface TargetedAgent {
  /** Takes a turn of the user; returns the agent's last answer. */
  say(messages: readonly BaseMessage[]): Promise<string>;
  close?(): void;
}

export interface TargetedSystem {
  readonly name: string;
  readonly vocabulary: Vocabulary;
  start(options: AgentOptions): Promise<TargetedAgent>;
}

/** Returns what an agent is told beside the messages of a turn. */
export function configOf(log: ModelLog) {
  return { configurable: { thread_id: "targeted" }, recursionLimit: 200, callbacks: [log] };
}

/** Returns a system prompt of about so many tokens, of four characters. Pure. */
export function instructions(tokens: number): string {
  const line = "Work with care, keep to what the user asked, and say what you have done. ";
  return line.repeat(Math.ceil((tokens * 4) / line.length));
}

/** Returns the last answer in a state of the thread. Pure. */
export function answerOf(messages: readonly BaseMessage[]): string {
  return messages.findLast((message) => message.getType() === "ai")?.text ?? "";
}
