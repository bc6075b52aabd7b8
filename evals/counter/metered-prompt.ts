import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";

/** When a prompt is sent: how far what was reported before applies to it. */
export const situations = [
  "as it grows",
  "right after a fold",
  "at a change of model",
  "after a change of model",
] as const;

export type Situation = (typeof situations)[number];

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
  readonly before: Usage & { readonly messages: readonly BaseMessage[] };
}

/** What a provider reported for a prompt. */
export interface Usage {
  readonly inputTokens: number;
  /** The model that reported it, where that is known. */
  readonly model?: string;
}

/** Returns a copy of a message of the model that reports usage. */
export function withUsage<Message extends BaseMessage>(
  message: Message,
  { inputTokens, model }: Usage,
): Message {
  return copyMessage(message, {
    usage_metadata: { input_tokens: inputTokens, output_tokens: 0, total_tokens: inputTokens },
    ...(model === undefined ? {} : { response_metadata: { model_name: model } }),
  });
}

export interface PromptSet {
  readonly name: string;
  /** Prompts run by run. */
  readonly runs: readonly (readonly MeteredPrompt[])[];
}
