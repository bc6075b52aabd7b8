import type { BaseMessage } from "@langchain/core/messages";

/** What a prompt holds besides its messages. */
export interface PromptParts {
  /** System prompt that is sent but is not one of the messages. */
  readonly systemPrompt?: string;
  /** Tools bound to the model: anything with a name, a description and a schema. */
  readonly tools?: readonly unknown[];
}

/** Returns the number of tokens of a prompt. Pure, and additive: a list counts as much as its messages one by one. */
export type TokenCounter = (messages: readonly BaseMessage[], parts?: PromptParts) => number;
