import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { newestLines } from "./newest-lines.js";

/**
 * A chat model that writes summaries without a network: the newest lines of its input, clipped. Every system that
 * asks a model for summaries gets the same.
 */
export class SummaryWriter extends BaseChatModel {
  constructor(readonly window: number) {
    super({});
  }

  override get profile() {
    return { maxInputTokens: this.window };
  }

  override _llmType(): string {
    return "summary-writer";
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    return this.answer(messages);
  }

  async answer(messages: BaseMessage[]): Promise<ChatResult> {
    const text = newestLines(messages);
    return { generations: [{ text, message: new AIMessage(text) }] };
  }
}
