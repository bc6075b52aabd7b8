import type { BaseMessage } from "@langchain/core/messages";

/** What is needed of a model to write a summary: any chat model of LangChain has it. */
export interface SummaryModel {
  invoke(messages: BaseMessage[], options?: SummaryCallOptions): Promise<BaseMessage>;
  /** Returns the model bound to a JSON schema. Used where the profile, or `structuredSummary`, says that it holds to one. */
  withStructuredOutput?(
    schema: Record<string, unknown>,
    config: { name: string; includeRaw: true },
  ): { invoke(messages: BaseMessage[], options?: SummaryCallOptions): Promise<unknown> };
  /** Facts that LangChain ships about the model. */
  readonly profile?: { readonly maxInputTokens?: number; readonly structuredOutput?: boolean } | undefined;
}

export interface SummaryCallOptions {
  readonly tags?: string[];
  readonly signal?: AbortSignal;
}
