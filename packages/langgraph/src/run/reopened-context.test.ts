import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";

const contextWindow = 6_000;
const look = tool(({ page }) => filler(300, page), {
  name: "look",
  description: "Looks at a page.",
  schema: z.object({ page: z.number() }),
});

/** Looks at four pages for each answer, at two of them at once. */
function looking(): ScriptedModel {
  const pages = [1, 2, 1, 0];
  return new ScriptedModel((_, call) => {
    const calls = Array.from({ length: pages[call % 4] ?? 0 }, (_page, at) => ({
      id: `c${call}-${at}`,
      name: "look",
      args: { page: call + at * 100 },
    }));
    return new AIMessage({ id: `a${call}`, content: `Answer ${call}.`, tool_calls: calls });
  });
}

function optionsWith(events: ContextEvent[]) {
  const files = VirtualFilesystem.inMemory();
  const onEvent = (event: ContextEvent) => void events.push(event);
  const limits = { offload: 1_200 };
  return { files, contextWindow, limits, summaryModel: "none", keepThread: true, onEvent } as const;
}

const failures = (events: readonly ContextEvent[]) => events.filter(({ type }) => type === "context.fail");
const question = (turn: number) => new HumanMessage({ id: `h${turn}`, content: `Question ${turn}` });

it("an agent that keeps its thread and runs as a node of a larger graph sends no prompt over its window", async () => {
  const model = looking();
  const events: ContextEvent[] = [];
  const middleware = [contextMiddleware({ ...optionsWith(events), fileTools: [] })];
  const agent = createAgent({ model, tools: [look], middleware }).graph;
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("one", agent as never)
    .addNode("two", agent as never)
    .addEdge(START, "one")
    .addEdge("one", "two")
    .compile({ checkpointer: new MemorySaver() });
  for (let turn = 0; turn < 6; turn++) await graph.invoke({ messages: [question(turn)] }, inThread("t"));
  expect(events.some(({ type }) => type === "context.fold")).toBe(true);
  expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(
    contextWindow,
  );
  expect(failures(events)).toEqual([]);
});
