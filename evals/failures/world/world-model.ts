import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { ContextOverflowError } from "@langchain/core/errors";
import { BaseChatModel, type BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, type ContentBlock } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { copyMessage } from "@palimpsest/context";
import type { World } from "./world.js";

/** A call as it reached the provider. */
export interface ModelCall {
  readonly purpose: "agent" | "summary";
  readonly messages: readonly BaseMessage[];
  /** The prompt as text, copied at once: some systems mutate messages later. */
  readonly text: string;
  readonly outcome: "answered" | "refused" | "failed";
  readonly answer?: AIMessage;
}

/**
 * The model of a world. Without tools bound to it a call is one for a summary: agents bind theirs, summarizers none.
 */
export class WorldModel extends BaseChatModel {
  /** Some systems guess the window from the name. */
  readonly model = "llama3";

  constructor(
    readonly world: World,
    readonly calls: ModelCall[] = [],
    readonly isAgent = false,
  ) {
    super({});
  }

  override _llmType(): string {
    return "world";
  }

  override get profile() {
    const { window } = this.world;
    return window === undefined ? {} : { maxInputTokens: window };
  }

  override bindTools(): WorldModel {
    return new WorldModel(this.world, this.calls, true);
  }

  override async _generate(
    messages: BaseMessage[],
    _options: BaseChatModelCallOptions,
    run?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const purpose = this.isAgent ? "agent" : "summary";
    const call = { purpose, messages: [...messages], text: promptText(messages) } as const;
    const tokens = providerTokens(messages) * (this.world.scale ?? 1);
    if (tokens > (this.world.limit ?? Infinity)) {
      this.calls.push({ ...call, outcome: "refused" });
      throw new ContextOverflowError(`prompt is too long: ${Math.ceil(tokens)} tokens`);
    }
    const answer = this.#answer(call);
    for (const word of answer.text.split(/(?<= )/)) {
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk(word) });
      await run?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
    const input = Math.ceil(tokens);
    const usage = { input_tokens: input, output_tokens: 10, total_tokens: input + 10 };
    return { generations: [{ text: answer.text, message: copyMessage(answer, { usage_metadata: usage }) }] };
  }

  #answer(call: Omit<ModelCall, "outcome">): AIMessage {
    const index = this.calls.filter(({ purpose }) => purpose === call.purpose).length;
    const script = call.purpose === "agent" ? this.world.reply : (this.world.summarize ?? plainSummary);
    try {
      const answer = script(call.messages, index);
      this.calls.push({ ...call, outcome: "answered", answer });
      return answer;
    } catch (error) {
      this.calls.push({ ...call, outcome: "failed" });
      throw error;
    }
  }
}

/** Returns a summary by which the call that made it can be found again. */
function plainSummary(_: readonly BaseMessage[], call: number): AIMessage {
  return new AIMessage(`## Findings\n- Summary number ${call} of the work so far.`);
}

function promptText(messages: readonly BaseMessage[]): string {
  return messages
    .map((message) => {
      const { tool_calls: calls = [] } = message as AIMessage;
      const content = typeof message.content === "string" ? message.content : JSON.stringify(message.content);
      return calls.length === 0 ? content : `${content}\n${JSON.stringify(calls)}`;
    })
    .join("\n");
}

const imageTokens = 1_600;
const charactersPerToken = 4;

/** Returns the tokens that the provider of these worlds counts: four characters each, 1,600 for an image. */
export function providerTokens(messages: readonly BaseMessage[]): number {
  return messages.flatMap(partsOf).reduce((sum, part) => sum + partTokens(part), 0);
}

function partsOf(message: BaseMessage): readonly (string | ContentBlock)[] {
  const { content, tool_calls: calls = [] } = message as AIMessage;
  const parts = typeof content === "string" ? [content] : (content as ContentBlock[]);
  return calls.length === 0 ? parts : [JSON.stringify(calls), ...parts];
}

function partTokens(part: string | ContentBlock): number {
  if (typeof part === "string") return part.length / charactersPerToken;
  return part.type.includes("image") ? imageTokens : JSON.stringify(part).length / charactersPerToken;
}
