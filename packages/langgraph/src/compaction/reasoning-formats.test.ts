import { ToolMessage } from "@langchain/core/messages";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { hasBoundReasoning } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentState, inThread } from "../testing/agent-graph.js";
import { chatServer } from "../testing/chat-server.js";
import { readPageTool, reasoningPrompt, reasoningServer } from "../testing/reasoning-agent.js";
import { bedrockForm, readings, readPages } from "../testing/reading-with-reasoning.js";
import { readThread } from "../threads/read-thread.js";

const steps = 12;

/** Returns a model that reads one page after the other and thinks in each reply. */
function reader() {
  let page = 0;
  return () => {
    const reasoning = `Page ${++page} is next.`;
    if (page > steps) return { content: "All pages are read.", reasoning };
    return { content: "", reasoning, calls: [{ id: `call_${page}`, name: "read_page", args: { page } }] };
  };
}

it.each([false, true])(
  "the reasoning_content of an OpenAI-compatible server comes back with its messages and is never sent: streaming %s",
  async (streaming) => {
    const server = await chatServer(reader());
    const configuration = { baseURL: server.url };
    const client = new ChatOpenAI({
      model: "local",
      apiKey: "none",
      maxRetries: 0,
      streaming,
      configuration,
    });
    const model = client.bindTools([readPageTool]);
    const events: ContextEvent[] = [];
    const files = VirtualFilesystem.inMemory();
    const onEvent = (event: ContextEvent) => void events.push(event);
    const graph = new StateGraph(agentState)
      .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("tools", new ToolNode([readPageTool]))
      .addNode("compact", compactionNode({ files, contextWindow: 16_000, onEvent }))
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "compact")
      .compile({ checkpointer: new MemorySaver() });
    const input = { messages: reasoningPrompt };
    if (streaming)
      for await (const _ of await graph.stream(input, { ...inThread("t"), streamMode: "messages" }));
    else await graph.invoke(input, inThread("t"));
    await server.close();
    const kinds = events.flatMap((event) => (event.type === "context.fold" ? [event.fold.kind] : []));
    expect(kinds.length).toBeGreaterThan(0);
    expect(kinds).not.toContain("reasoning");
    expect(server.requests.filter(({ text }) => text.includes("reasoning_content"))).toEqual([]);
    const thoughts = Array.from({ length: steps + 1 }, (_, page) => `Page ${page + 1} is next.`);
    const thread = await readThread(graph, inThread("t"), { files });
    const replies = thread.filter((message) => message.getType() === "ai");
    expect(replies.map((message) => message.additional_kwargs["reasoning_content"])).toEqual(thoughts);
  },
);

/** Without a streaming ChatAnthropic: see the next test. */
it.each([
  { provider: "anthropic", streaming: false },
  { provider: "openai", streaming: false },
  { provider: "openai", streaming: true },
] as const)(
  "messages of the output version v1 have every call accepted, and all reasoning comes back: $provider, streaming $streaming",
  async (client) => {
    const { calls, thread, rewrittenBefore, lost } = await readPages({
      ...client,
      name: "compactionNode",
      steps,
      outputVersion: "v1",
    });
    expect(rewrittenBefore.size).toBeGreaterThan(0);
    expect(calls.filter(({ status, invalid }) => status !== 200 || invalid.length > 0)).toEqual([]);
    expect(calls).toHaveLength(steps + 1);
    expect(lost.filter((call) => !rewrittenBefore.has(call))).toEqual([]);
    expect(thread.filter(hasBoundReasoning)).toHaveLength(steps + 1);
  },
);

it.each(readings.filter(({ provider, streaming }) => provider === "anthropic" && !streaming))(
  "Claude in the form of Bedrock's client has every call accepted, and all reasoning comes back: $name",
  async (reading) => {
    const { calls, thread, rewrittenBefore } = await readPages({ ...reading, steps, form: bedrockForm });
    expect(rewrittenBefore.size).toBeGreaterThan(0);
    expect(calls.filter(({ status, invalid }) => status !== 200 || invalid.length > 0)).toEqual([]);
    expect(calls).toHaveLength(steps + 1);
    expect(thread.filter(hasBoundReasoning)).toHaveLength(steps + 1);
  },
);

it("ChatAnthropic itself is refused when it streams messages of the output version v1 and sends a call back", async () => {
  const server = await reasoningServer("anthropic", steps);
  const model = server.model({ streaming: true, outputVersion: "v1" }).bindTools([readPageTool]);
  const reply = await model.invoke(reasoningPrompt);
  const [call] = reply.tool_calls ?? [];
  const result = new ToolMessage({ tool_call_id: call?.id ?? "", content: "1" });
  await expect(model.invoke([...reasoningPrompt, reply, result])).rejects.toThrow(
    "`tool_use` ids must be unique",
  );
  await server.close();
});
