import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ChatResult } from "@langchain/core/outputs";
import { copyMessage, estimateTokens } from "@palimpsest/context";

/** What a scripted model answers to a prompt. */
export type Reply = (messages: readonly BaseMessage[], call: number) => AIMessage;

/** A chat model for tests: answers by a function of its prompt, and keeps every prompt it was given. */
export class ScriptedModel extends BaseChatModel {
  readonly prompts: (readonly BaseMessage[])[] = [];
  /** Tools of the last `bindTools`. */
  bound: readonly unknown[] = [];

  constructor(readonly reply: Reply) {
    super({});
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: unknown[]): this {
    this.bound = tools;
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const call = this.prompts.push([...messages]) - 1;
    const message = this.reply(messages, call);
    const input = estimateTokens(messages);
    const usage = { input_tokens: input, output_tokens: 10, total_tokens: input + 10 };
    return { generations: [{ text: "", message: copyMessage(message, { usage_metadata: usage }) }] };
  }
}
