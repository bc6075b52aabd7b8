import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import type { ModelLog } from "./agents/model-log.js";

/** How a system calls things, for a scripted agent that has to use its tools. */
export interface Vocabulary {
  /** Name of the path argument of `read_file`. */
  readonly pathArgument: "path" | "file_path";
  /** Arguments for a `grep` for a text in all that was kept of the thread. */
  readonly grep: (pattern: string) => Record<string, unknown>;
  /** The system gives the agent `compress_context`. */
  readonly hasCompactTool: boolean;
}

/** An agent without a model: acts on nothing but the prompt that it is shown. */
export type Script = (prompt: readonly BaseMessage[], vocabulary: Vocabulary) => AIMessage;

/** What came of a task. */
export interface Outcome {
  readonly log: ModelLog;
  /** The last answer of each turn. */
  readonly answers: readonly string[];
  /** Errors that ended a turn. */
  readonly deaths: readonly string[];
}

export interface Check {
  readonly passed: boolean;
  readonly detail: string;
}

/** One thing that context management must not spoil. */
export interface TargetedTask {
  readonly name: string;
  /** Tokens of the model's window. */
  readonly window: number;
  /** Share of the window at which a compaction is due. @default 0.85 */
  readonly trigger?: number;
  /** Tokens of the host's system prompt. @default none */
  readonly promptTokens?: number;
  /** What the user says, one turn after the other. */
  readonly turns: readonly string[];
  readonly tools?: () => DynamicStructuredTool[];
  /** Files of the agent's workspace. @default none */
  readonly files?: Readonly<Record<string, string>>;
  /** The conversation before the first turn. @default none */
  readonly before?: readonly BaseMessage[];
  /** The agent is offered `compress_context`. @default false */
  readonly compactTool?: boolean;
  /** What the scripted agent does. Without one the task asks for a judgement that only a model has. */
  readonly script?: Script;
  /** Returns whether it held. Pure. */
  readonly check: (outcome: Outcome) => Check;
  /** What a judge is asked about the last answer, beside the check, when a model plays. */
  readonly judge?: string;
}
