import { ContextOverflowError } from "@langchain/core/errors";
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
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
    /** Tokens of the tools that are sent with each call; undefined for a call without tools, which is one for a summary. */
    readonly toolTokens?: number,
  ) {
    super({});
  }

  override get profile() {
    return { maxInputTokens: this.options.window };
  }

  override _llmType(): string {
    return "scripted-agent";
  }

  override bindTools(tools: BindToolsInput[]): ScriptedAgentModel {
    const definitions = tools.map((tool) => convertToOpenAITool(tool as StructuredToolInterface));
    return new ScriptedAgentModel(this.options, JSON.stringify(definitions).length / 4);
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const input = Math.ceil(charsOverFour(messages) + (this.toolTokens ?? 0));
    if (input > this.options.window) throw new ContextOverflowError(`prompt is too long: ${input} tokens`);
    const { script, vocabulary } = this.options;
    const answer =
      this.toolTokens === undefined ? new AIMessage(newestLines(messages)) : script(messages, vocabulary);
    const output = Math.ceil(charsOverFour([answer]));
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    return { generations: [{ text: answer.text, message: copyMessage(answer, { usage_metadata: usage }) }] };
  }
}
