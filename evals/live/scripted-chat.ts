import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** What a play answers to a prompt. */
export type Answer = (prompt: readonly BaseMessage[]) => AIMessage;

/** A chat model whose replies a play gives. */
export class ScriptedChat extends BaseChatModel {
  constructor(
    readonly answer: Answer,
    readonly window: number,
  ) {
    super({ maxRetries: 0 });
  }

  override get profile() {
    return { maxInputTokens: this.window };
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.answer([...messages]);
    return { generations: [{ text: message.text, message }] };
  }
}
