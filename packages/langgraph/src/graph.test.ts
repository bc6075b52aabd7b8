import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { z } from "zod";
import { compactionNode, contextState, fileTools, type ContextEvent } from "./index.js";
import { ScriptedModel } from "./testing/scripted-model.js";

it("keeps every prompt inside the window and gives back every message", async () => {
  const produced: BaseMessage[] = [];
  const read = tool(({ page }) => `page ${page}\n${`fact ${page} is ${page * 7}. `.repeat(300)}`, {
    name: "read_page",
    schema: z.object({ page: z.number() }),
  });
  const model = new ScriptedModel((_, call) => {
    const message =
      call < 40
        ? new AIMessage({
            id: `ai-${call}`,
            content: `Reading page ${call}`,
            tool_calls: [{ id: `call_${call}`, name: "read_page", args: { page: call } }],
          })
        : new AIMessage({ id: `ai-${call}`, content: "done" });
    produced.push(message);
    return message;
  });
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([read, ...fileTools({ files })]))
    .addNode("compact", compactionNode({ files, contextWindow: 12_000, onEvent: (e) => void events.push(e) }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "t" }, recursionLimit: 500 };
  const { messages } = await graph.invoke({ messages: [new HumanMessage("Read forty pages")] }, config);
  console.log(events.map((e) => (e.type === "context.fold" ? `${e.fold.kind} ${e.reason} ${e.fold.tokensBefore}->${e.fold.tokensAfter} ${e.fold.path}` : JSON.stringify(e))).join("\n"));
  console.log(messages.map((m) => `${m.getType()} ${m.id} ${m.text.slice(0, 80)}`).join("\n"));
  console.log(messages.find((m) => foldOf(m)?.kind === "summary")?.text);
  const opened = await unfold(messages, (path) => files.thread("t").archive.readText(path));
  expect(opened.filter((m) => m.getType() === "ai").map((m) => toStoredMessage(m))).toEqual(produced.map((m) => toStoredMessage(m)));
  expect(opened.filter((m) => ToolMessage.isInstance(m))).toHaveLength(40);
});
