import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";

/** Answers a prompt. May throw, as a provider does. */
export type Script = (prompt: readonly BaseMessage[], call: number) => AIMessage;

/** What surrounds an agent in a scenario: the same for every system that is put into it. */
export interface World {
  /** What the model says as the agent. */
  readonly reply: Script;
  /** What the model says when it is asked for a summary. @default a sentence with a mark of its own */
  readonly summarize?: Script;
  readonly tools?: readonly DynamicStructuredTool[];
  /** Texts that exist once in the world; each is lost when the agent can reach it nowhere. */
  readonly originals: readonly string[];
  /** Texts that the model has to be shown, whole or in a preview. @default none */
  readonly shown?: readonly string[];
  /** Tokens that the model says it takes. @default it says nothing */
  readonly window?: number;
  /** Tokens over which the provider refuses a prompt. @default any prompt is taken */
  readonly limit?: number;
  /** Tokens that the provider counts for four characters. @default 1 */
  readonly scale?: number;
  /** Name of a state of the storage while the agent works. @default "sound" */
  readonly storage?: StorageState;
}

/** `throws` and `refuses`: writes fail, with an exception or with an error result. */
export type StorageState = "sound" | "throws" | "refuses";
