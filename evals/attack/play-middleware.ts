import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { createAgent } from "langchain";
import { z } from "zod";
import type { PlayOptions } from "./play-options.js";
import { askedFirst, callOf, pageText } from "./script.js";

/** Plays the script through a `createAgent` agent, to which the client sends its part with the first message. */
export async function playMiddleware({
  files,
  window,
  steps,
  onPrompt,
  beforeLast,
  client,
}: PlayOptions): Promise<readonly BaseMessage[]> {
  const readPage = tool(({ page }) => pageText(page, window), {
    name: "read_page",
    description: "Reads a page.",
    schema: z.object({ page: z.number() }),
  });
  const agent = createAgent({
    model: new PageModel(steps, onPrompt),
    tools: [readPage],
    middleware: [
      contextMiddleware({
        files,
        contextWindow: window,
        limits: { offload: window / 8 },
        summaryModel: "none",
      }),
    ],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "t" }, recursionLimit: 10 * steps + 100 };
  const sent = { messages: [askedFirst(), ...(client?.messages ?? [])] };
  const forged = client?.compaction === undefined ? {} : { compaction: client.compaction };
  const worked = await agent.invoke({ ...sent, ...forged } as typeof sent, config);
  beforeLast?.(worked.messages);
  const last = new HumanMessage({ id: "last", content: "Is that all?" });
  return (await agent.invoke({ messages: [last] }, config)).messages;
}

/** Reads one page after the other, and then says that it has. */
class PageModel extends BaseChatModel {
  #calls = 0;

  constructor(
    readonly steps: number,
    readonly onPrompt: (messages: readonly BaseMessage[]) => void,
  ) {
    super({});
  }

  override _llmType(): string {
    return "pages";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.onPrompt(messages);
    const at = this.#calls++;
    const message =
      at < this.steps ? callOf(at) : new AIMessage({ id: `done-${at}`, content: "All are read." });
    return { generations: [{ text: message.text, message }] };
  }
}
