import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import type { ChatGeneration, LLMResult } from "@langchain/core/outputs";
import { charsOverFour, textOf } from "../../data/text-of.js";

interface Answer {
  readonly tool_calls?: readonly {
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  }[];
  readonly usage_metadata?: UsageMetadata;
}

/** Takes down what goes to a model and what comes back, of the agent and of its summaries. */
export class ModelLog extends BaseCallbackHandler {
  override readonly name = "model-log";
  readonly prompts: string[] = [];
  readonly calls: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[] = [];
  peakTokens = 0;
  inputTokens = 0;
  outputTokens = 0;
  compactions = 0;
  callsAtFirstCompaction: number | undefined;

  override handleChatModelStart(_model: Serialized, prompts: BaseMessage[][]): void {
    for (const prompt of prompts) {
      this.prompts.push(prompt.map(textOf).join("\n"));
      this.peakTokens = Math.max(this.peakTokens, charsOverFour(prompt));
    }
  }

  override handleLLMEnd({ generations }: LLMResult): void {
    for (const generation of generations.flat()) {
      const { message } = generation as ChatGeneration;
      const { tool_calls: calls = [], usage_metadata: usage } = message as Answer;
      this.calls.push(...calls.map(({ name, args }) => ({ name, args })));
      this.inputTokens += usage?.input_tokens ?? 0;
      this.outputTokens += usage?.output_tokens ?? 0;
    }
  }

  /** Takes down that the context was compacted. */
  compacted(): void {
    this.compactions++;
    this.callsAtFirstCompaction ??= this.calls.length;
  }
}
