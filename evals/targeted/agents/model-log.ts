import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import type { ChatGeneration, LLMResult } from "@langchain/core/outputs";
import { toolCalls } from "@palimpsest/context";
import { charsOverFour, textOf } from "../../data/text-of.js";

/** Takes down what goes to a model and what comes back, of the agent and of its summaries. */
export class ModelLog extends BaseCallbackHandler {
  override readonly name = "model-log";
  /** What the agent's model and the summary model were shown, oldest first. */
  readonly prompts: string[] = [];
  /** Names of the tools that the agent's model called, oldest first. */
  readonly calls: string[] = [];
  peakTokens = 0;
  inputTokens = 0;
  outputTokens = 0;
  compactions = 0;

  override handleChatModelStart(_model: Serialized, prompts: BaseMessage[][]): void {
    for (const prompt of prompts) {
      this.prompts.push(prompt.map(textOf).join("\n"));
      this.peakTokens = Math.max(this.peakTokens, charsOverFour(prompt));
    }
  }

  override handleLLMEnd({ generations }: LLMResult): void {
    for (const generation of generations.flat()) {
      const { message } = generation as ChatGeneration;
      const { usage_metadata: usage } = message as { readonly usage_metadata?: UsageMetadata };
      this.calls.push(...toolCalls(message).map(({ name }) => name));
      this.inputTokens += usage?.input_tokens ?? 0;
      this.outputTokens += usage?.output_tokens ?? 0;
    }
  }
}
