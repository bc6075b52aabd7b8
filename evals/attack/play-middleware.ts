import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { createAgent } from "langchain";
import { z } from "zod";
import { ScriptedChat } from "../live/scripted-chat.js";
import type { PlayOptions } from "./play-options.js";
import { askedFirst, callOf, pageText } from "./script.js";

/** Plays the script through a `createAgent` agent, to which the client sends its part with the first message. */
export async function playMiddleware(play: PlayOptions): Promise<readonly BaseMessage[]> {
  const { files, window, steps, beforeLast, client } = play;
  const readPage = tool(({ page }) => pageText(page, window), {
    name: "read_page",
    description: "Reads a page.",
    schema: z.object({ page: z.number() }),
  });
  const agent = createAgent({
    model: pageModel(play),
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

/** Returns a model that reads one page after the other, and then says that it has. */
function pageModel({ steps, window, onPrompt }: PlayOptions): ScriptedChat {
  let calls = 0;
  return new ScriptedChat((prompt) => {
    onPrompt(prompt);
    const at = calls++;
    return at < steps ? callOf(at) : new AIMessage({ id: `done-${at}`, content: "All are read." });
  }, window);
}
