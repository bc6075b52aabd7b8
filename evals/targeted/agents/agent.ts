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
  say(messages: readonly BaseMessage[], signal?: AbortSignal): Promise<string>;
  close(): void;
}

export interface TargetedSystem {
  readonly name: string;
  readonly vocabulary: Vocabulary;
  start(options: AgentOptions): Promise<TargetedAgent>;
}
