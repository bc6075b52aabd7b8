import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";

/** Answers a prompt. May throw like a provider. */
export type Script = (prompt: readonly BaseMessage[], call: number) => AIMessage;

/** The environment of an agent in a scenario, the same for every system. */
export interface World {
  /** What the model says as the agent. */
  readonly reply: Script;
  /** What the model says when it is asked for a summary. @default a sentence with a mark of its own */
  readonly summarize?: Script;
  readonly tools?: readonly DynamicStructuredTool[];
  /** Texts that exist once in the world. A text is lost when the agent cannot reach it. */
  readonly originals: readonly string[];
  /** Texts that the model has to be shown, whole or in a preview. @default none */
  readonly shown?: readonly string[];
  /** Window in the model's profile, in tokens. @default no profile */
  readonly window?: number;
  /** Tokens over which the provider refuses a prompt. @default accepts any prompt */
  readonly limit?: number;
  /** Tokens that the provider counts for four characters. @default 1 */
  readonly scale?: number;
  /** Name of a state of the storage while the agent works. @default "sound" */
  readonly storage?: StorageState;
}

/** `throws` and `refuses`: writes fail, with an exception or with an error result. */
export type StorageState = "sound" | "throws" | "refuses";
