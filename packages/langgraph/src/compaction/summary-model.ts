import type { BaseMessage } from "@langchain/core/messages";

/** What is needed of a model to write a summary: any chat model of LangChain has it. */
export interface SummaryModel {
  invoke(messages: BaseMessage[], options?: SummaryCallOptions): Promise<BaseMessage>;
  /** Facts that LangChain ships about the model. */
  readonly profile?: { readonly maxInputTokens?: number } | undefined;
}

export interface SummaryCallOptions {
  readonly tags?: string[];
  readonly signal?: AbortSignal;
}
