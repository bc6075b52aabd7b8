import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { TargetedTask, Vocabulary } from "../task.js";
import type { ModelLog } from "./model-log.js";

/** What came of a task. */
export interface Outcome {
  /** The last answer of each turn. */
  readonly answers: readonly string[];
  /** Tool calls that the agent's model made, oldest first. */
  readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** Prompts that the agent's model and the summary model got, oldest first. */
  readonly prompts: readonly string[];
  readonly compactions: number;
  /** Where the first compaction lies among the calls. */
  readonly callsAtFirstCompaction: number | undefined;
  readonly peakTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Errors that ended a turn. */
  readonly deaths: readonly string[];
}

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
