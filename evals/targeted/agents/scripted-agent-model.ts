import { ContextOverflowError } from "@langchain/core/errors";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { copyMessage } from "@palimpsest/context";
import { charsOverFour } from "../../data/text-of.js";
import { newestLines } from "../../horizon/systems/newest-lines.js";
import type { Script, Vocabulary } from "../task.js";

export interface ScriptedAgentOptions {
  readonly script: Script;
  readonly vocabulary: Vocabulary;
  readonly window: number;
}

/**
 * A chat model that plays a script. Without tools bound to it, a call is one for a summary: it answers with the newest
 * lines of what it was given. It refuses prompts over its window, as a provider does.
 */
export class ScriptedAgentModel extends BaseChatModel {
  constructor(
    readonly options: ScriptedAgentOptions,
    readonly isAgent = false,
  ) {
    super({});
  }

  override get profile() {
    return { maxInputTokens: this.options.window };
  }

  override _llmType(): string {
    return "scripted-agent";
  }

  override bindTools(): ScriptedAgentModel {
    return new ScriptedAgentModel(this.options, true);
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const input = Math.ceil(charsOverFour(messages));
    if (input > this.options.window) throw new ContextOverflowError(`prompt is too long: ${input} tokens`);
    const { script, vocabulary } = this.options;
    const answer = this.isAgent ? script(messages, vocabulary) : new AIMessage(newestLines(messages));
    const output = Math.ceil(charsOverFour([answer]));
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    return { generations: [{ text: answer.text, message: copyMessage(answer, { usage_metadata: usage }) }] };
  }
}
