import { ContextOverflowError } from "@langchain/core/errors";
import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { copyMessage } from "@palimpsest/context";
import { charsOverFour } from "../../data/text-of.js";
import { newestLines } from "../../horizon/systems/newest-lines.js";
import { ScriptedChat, type Answer } from "../../live/scripted-chat.js";

/**
 * A chat model that plays a script. Without tools bound to it, a call is one for a summary: it answers with the newest
 * lines of what it was given. It refuses prompts over its window, as a provider does.
 */
export class ScriptedAgentModel extends ScriptedChat {
  /** @param toolTokens tokens of the tools that are sent with each call; undefined for a call without tools */
  constructor(
    readonly script: Answer,
    window: number,
    readonly toolTokens?: number,
  ) {
    super(toolTokens === undefined ? summarize : script, window);
  }

  override bindTools(tools: BindToolsInput[] = []): this {
    const definitions = tools.map((tool) => convertToOpenAITool(tool as StructuredToolInterface));
    return new ScriptedAgentModel(this.script, this.window, JSON.stringify(definitions).length / 4) as this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const input = Math.ceil(charsOverFour(messages) + (this.toolTokens ?? 0));
    if (input > this.window) throw new ContextOverflowError(`prompt is too long: ${input} tokens`);
    const answer = this.answer(messages);
    const output = Math.ceil(charsOverFour([answer]));
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    return { generations: [{ text: answer.text, message: copyMessage(answer, { usage_metadata: usage }) }] };
  }
}

function summarize(prompt: readonly BaseMessage[]): AIMessage {
  return new AIMessage(newestLines([...prompt]));
}
