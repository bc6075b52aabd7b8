import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, type AgentMiddleware } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { withCompaction } from "../nodes/with-compaction.js";
import { predictiveContextMiddleware } from "../predictive/predictive-context-middleware.js";
import { agentState, inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";
import { contextMiddleware } from "./context-middleware.js";

const contextWindow = 8_000;
const look = tool(({ page }) => filler(600, page), {
  name: "look",
  description: "Looks.",
  schema: z.object({ page: z.number() }),
});

/** Returns a model that looks four times in each turn. */
function looking(name: string): ScriptedModel {
  return new ScriptedModel((_, call) => {
    const looks = [{ id: `${name}-call-${call}`, name: "look", args: { page: call } }];
    const content = call % 5 < 4 ? "Looking." : filler(200, call);
    return new AIMessage({ id: `${name}-${call}`, content, tool_calls: call % 5 < 4 ? looks : [] });
  });
}

const agents = {
  contextMiddleware: (files: VirtualFilesystem, model: ScriptedModel) => {
    const own = contextMiddleware({ files, contextWindow, summaryModel: "none", fileTools: [] });
    return createAgent({ model, tools: [look], middleware: [own] }).graph;
  },
  withCompaction: (files: VirtualFilesystem, model: ScriptedModel) =>
    new StateGraph(agentState)
      .addNode(
        "model",
        withCompaction(
          async ({ messages }: typeof MessagesAnnotation.State) => ({
            messages: [await model.invoke(messages)],
          }),
          {
            files,
            contextWindow,
          },
        ),
      )
      .addNode("tools", new ToolNode([look]))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "model")
      .compile(),
};

/** The usage that the newest reply of one agent reports lacks what the other has said beside it. */
it.each(Object.keys(agents) as (keyof typeof agents)[])(
  "two agents with %s that run beside each other as nodes of a graph are sent what fits the window",
  async (name) => {
    const files = VirtualFilesystem.inMemory();
    const models = [looking("one"), looking("other")] as const;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("one", agents[name](files, models[0]))
      .addNode("other", agents[name](files, models[1]))
      .addEdge(START, "one")
      .addEdge(START, "other")
      .compile({ checkpointer: new MemorySaver() });
    for (let turn = 0; turn < 8; turn++) {
      await graph.invoke(
        { messages: [new HumanMessage({ id: `u${turn}`, content: "Go on." })] },
        inThread("t"),
      );
    }
    const prompts = models.flatMap(({ prompts: all }) => all);
    expect(prompts).toHaveLength(80);
    expect(Math.max(...prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(contextWindow);
    const ids = (await readThread(graph, inThread("t"), { files })).map(({ id }) => id);
    expect(ids).toHaveLength(8 + 2 * 8 * 9);
    expect(new Set(ids).size).toBe(ids.length);
  },
);

const workers: Readonly<Record<string, (shared: Shared) => readonly AgentMiddleware[]>> = {
  contextMiddleware: (shared) => [
    contextMiddleware({ ...shared, contextWindow, summaryModel: "none", fileTools: [] }),
  ],
  "contextMiddleware before predictiveContextMiddleware": (shared) => [
    contextMiddleware({ ...shared, contextWindow, summaryModel: "none", fileTools: [] }),
    predictiveContextMiddleware({ ...shared, budget: contextWindow, tools: [] }),
  ],
};

interface Shared {
  readonly files: VirtualFilesystem;
  readonly onEvent: (event: ContextEvent) => void;
}

it.each(Object.keys(workers))(
  "four workers of a Send with %s are sent what fits the window, and no report of usage counts as wrong",
  async (name) => {
    const files = VirtualFilesystem.inMemory();
    const events: ContextEvent[] = [];
    const model = looking("worker");
    const middleware = [...workers[name]!({ files, onEvent: (event) => void events.push(event) })];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("worker", createAgent({ model, tools: [look], middleware }).graph)
      .addConditionalEdges(START, ({ messages }) =>
        Array.from({ length: 4 }, () => new Send("worker", { messages })),
      )
      .compile({ checkpointer: new MemorySaver() });
    for (let turn = 0; turn < 5; turn++) {
      await graph.invoke(
        { messages: [new HumanMessage({ id: `u${turn}`, content: "Go on." })] },
        inThread("t"),
      );
    }
    expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(contextWindow);
    expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
  },
);
