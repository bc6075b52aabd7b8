import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel, type BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import { AIMessageChunk, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { copyMessage, estimateTokens } from "@palimpsest/context";

/** Returns the answer to a prompt. May throw, as a provider does. */
export type Reply = (messages: readonly BaseMessage[], call: number) => AIMessage;

/** A chat model for tests: answers with a function of the prompt, and records every prompt. */
export class ScriptedModel extends BaseChatModel {
  readonly prompts: (readonly BaseMessage[])[] = [];
  /** Tools of every `bindTools`, oldest first. */
  readonly bound: (readonly { readonly name?: string; readonly description?: string }[])[] = [];

  constructor(
    readonly reply: Reply,
    /** Tokens that the provider counts in addition to the messages. */
    readonly overheadTokens = 0,
    /** Tokens of the context window that the model's profile states; undefined for a model without a profile. */
    readonly contextWindow?: number,
  ) {
    super({});
  }

  override get profile(): ModelProfile {
    return this.contextWindow === undefined ? {} : { maxInputTokens: this.contextWindow };
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: unknown[]): this {
    this.bound.push(tools as { name?: string; description?: string }[]);
    return this;
  }

  override async _generate(
    messages: BaseMessage[],
    _options: BaseChatModelCallOptions,
    run?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const call = this.prompts.push([...messages]) - 1;
    const message = this.reply(messages, call);
    for (const word of message.text.split(/(?<= )/)) {
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk(word) });
      await run?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
    const input = estimateTokens(messages) + this.overheadTokens;
    const usage = { input_tokens: input, output_tokens: 10, total_tokens: input + 10 };
    return {
      generations: [{ text: message.text, message: copyMessage(message, { usage_metadata: usage }) }],
    };
  }
}
