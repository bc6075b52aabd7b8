import { createHash } from "node:crypto";
import { type CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { type BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { ContextOverflowError } from "@langchain/core/errors";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  type StandardMessageStructure,
} from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { type Runnable } from "@langchain/core/runnables";
import { countMessage, countPrompt } from "../count-prompt.js";
import { type WireTool, toWireTool } from "../wire-tool.js";
import { decide } from "./decide.js";

/** A reply with its usage: the plain message type has no such field in this version's types. */
type Reply = AIMessage<StandardMessageStructure>;

/** Options of a call: the tools in the provider's form. */
export interface OfflineModelCallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly WireTool[];
}

/**
 * A chat model that needs no network: it follows a research policy by reading its prompt. Like a provider it counts
 * tokens, refuses prompts over its window, and streams.
 */
export class OfflineModel extends BaseChatModel<OfflineModelCallOptions> {
  readonly contextWindow: number;

  /** @param options.contextWindow In tokens: longer prompts are refused with a `ContextOverflowError`. */
  constructor({ contextWindow }: { contextWindow: number }) {
    super({});
    this.contextWindow = contextWindow;
  }

  override _llmType(): string {
    return "offline";
  }

  override bindTools(
    tools: BindToolsInput[],
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, OfflineModelCallOptions> {
    return this.withConfig({ tools: tools.map(toWireTool) });
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const message = this.#reply(messages, options.tools ?? []);
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const message of chunksOf(this.#reply(messages, options.tools ?? []))) {
      const text = message.text;
      yield new ChatGenerationChunk({ text, message });
      await runManager?.handleLLMNewToken(text);
    }
  }

  #reply(messages: readonly BaseMessage[], tools: readonly WireTool[]): Reply {
    const { total } = countPrompt(messages, tools);
    if (total > this.contextWindow)
      throw new ContextOverflowError(
        `This model's maximum context length is ${this.contextWindow} tokens, but the prompt has ${total}.`,
      );
    const { text, calls } = decide(messages, tools);
    const id = nameOf(messages, text);
    const tool_calls = calls.map((call, index) => ({
      type: "tool_call" as const,
      id: `call_${id}_${index}`,
      name: call.name,
      args: { ...call.args },
    }));
    const output = countMessage(new AIMessage({ content: text, tool_calls }));
    return new AIMessage<StandardMessageStructure>({
      id: `reply_${id}`,
      content: text,
      tool_calls,
      usage_metadata: { input_tokens: total, output_tokens: output, total_tokens: total + output },
    });
  }
}

/** A name for the reply that follows from the prompt: the same prompt gives the same reply, ids included. */
function nameOf(messages: readonly BaseMessage[], text: string): string {
  const hash = createHash("sha256").update(text);
  for (const message of messages) hash.update(`${message.id ?? ""}\n`).update(message.text);
  return hash.digest("hex").slice(0, 16);
}

/** The reply as a provider streams it: words, then the tool calls, then the usage. */
function* chunksOf(message: Reply): Generator<AIMessageChunk> {
  const id = message.id ?? "";
  for (const words of message.text.match(/(?:\S+\s*){1,12}/g) ?? [])
    yield new AIMessageChunk({ id, content: words });
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    const args = JSON.stringify(call.args);
    const chunk = { index, name: call.name, args, type: "tool_call_chunk" as const };
    const tool_call_chunks = [call.id === undefined ? chunk : { ...chunk, id: call.id }];
    yield new AIMessageChunk({ id, content: "", tool_call_chunks });
  }
  const { usage_metadata } = message;
  if (usage_metadata !== undefined)
    yield new AIMessageChunk<StandardMessageStructure>({ id, content: "", usage_metadata });
}
