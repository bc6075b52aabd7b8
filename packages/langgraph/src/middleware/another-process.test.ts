import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { contextMiddleware } from "./context-middleware.js";

const past = [
  ...history({ steps: 12, result: (step) => filler(1_000, step) }),
  new AIMessage({ id: "done", content: "Found." }),
  new HumanMessage({ id: "more", content: "Go on." }),
];

/** Runs an agent up to its first tool call in one process, and from there on in another. */
async function resumed(name: string, args: Record<string, unknown>) {
  const files = VirtualFilesystem.inMemory();
  const checkpointer = new MemorySaver();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const dump = tool(() => filler(5_000), { name: "dump", schema: z.object({}) });
  function process() {
    const model = new ScriptedModel((prompt) =>
      prompt.some((message) => ToolMessage.isInstance(message) && message.tool_call_id === "call")
        ? new AIMessage({ id: "end", content: "Done." })
        : new AIMessage({ id: "asks", content: "", tool_calls: [{ id: "call", name, args }] }),
    );
    const options = { contextWindow: 20_000, limits: { offload: 2_000 }, agentControlled: true };
    const middleware = [contextMiddleware({ files, onEvent, ...options })];
    return createAgent({ model, tools: [dump], middleware, checkpointer });
  }
  const config = inThread("t");
  await process().graph.invoke({ messages: past }, { ...config, interruptBefore: ["tools"] });
  const stream = await process().stream(null as never, { ...config, streamMode: "values" });
  const results: ToolMessage[] = [];
  for await (const { messages } of stream as AsyncIterable<{ messages: unknown[] }>)
    results.push(...messages.filter((message) => ToolMessage.isInstance(message)));
  return { events, result: results.find(({ tool_call_id: id }) => id === "call") };
}

it("a run that goes on in another process carries out compress_context", async () => {
  const { events, result } = await resumed("compress_context", { reason: "the phase is done" });
  expect(result?.text).toContain("The context is compacted before your next step");
  expect(events.at(-1)).toMatchObject({ type: "context.compaction", reason: "agent" });
});

it("a run that goes on in another process offloads a large result before it enters the state", async () => {
  const { result } = await resumed("dump", {});
  expect(result && foldOf(result)?.kind).toBe("offload");
});
