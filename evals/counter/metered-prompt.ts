import type { BaseMessage } from "@langchain/core/messages";

/** When a prompt is sent: how far what was reported before applies to it. */
export type Situation =
  | "as it grows"
  | "right after a fold"
  | "at a change of model"
  | "after a change of model";

export const situations: readonly Situation[] = [
  "as it grows",
  "right after a fold",
  "at a change of model",
  "after a change of model",
];

/** A prompt whose size a provider reported, without system prompt and tool schemas. */
export interface MeteredPrompt {
  readonly situation: Situation;
  /** The model's messages carry the usage that was reported for them, as they do in a live thread. */
  readonly messages: readonly BaseMessage[];
  /** Tokens that the provider reported. */
  readonly inputTokens: number;
  /** Window that the prompt was compacted for, where one is known. */
  readonly contextWindow?: number;
  /** The prompt before, and what was reported for it. */
  readonly before: {
    readonly messages: readonly BaseMessage[];
    readonly inputTokens: number;
    /** The model that reported it, where that is known. */
    readonly model?: string;
  };
}

export interface PromptSet {
  readonly name: string;
  /** Prompts run by run. */
  readonly runs: readonly (readonly MeteredPrompt[])[];
}
