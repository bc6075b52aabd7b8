import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { copyMessage } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { ContextOptions } from "../options/context-options.js";
import { agentState, inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";

const read = tool(({ page }) => filler(700, page), {
  name: "read",
  description: "Reads a page.",
  schema: z.object({ page: z.number() }),
});

/** Reads twelve pages after each question. */
function nextRead(_: readonly BaseMessage[], step: number): AIMessage {
  const call = { id: `call-${step}`, name: "read", args: { page: step } };
  return new AIMessage({ id: `ai-${step}`, content: "So.", tool_calls: step % 13 < 12 ? [call] : [] });
}

/** Returns calls with their results, as a client adds them before a turn. */
function twelveCalls(turn: number): readonly BaseMessage[] {
  const messages = history({ steps: 12, result: (step) => filler(700, step) });
  return messages.map((message) => copyMessage(message, { id: `${message.id}-${turn}` }));
}

type Behind = "compact" | "condition" | "model";

/** Plays turns of an agent whose tools lead to the node, to its condition, or straight to the model; returns what was told. */
async function told(
  behind: Behind,
  more: Partial<ContextOptions> = {},
  added: (turn: number) => readonly BaseMessage[] = () => [],
) {
  const model = new ScriptedModel(nextRead);
  const told: string[] = [];
  const onEvent = (event: ContextEvent) =>
    event.type === "context.fail" && event.rung === "wiring" && told.push(String(event.error));
  const options = {
    files: VirtualFilesystem.inMemory(),
    contextWindow: 9_000,
    trigger: { tokens: 6_000 },
    summaryModel: "none" as const,
    onEvent,
    ...more,
  };
  const base = new StateGraph(agentState)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([read]))
    .addNode("compact", compactionNode(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition);
  const graph =
    behind === "condition"
      ? base.addConditionalEdges("tools", compactionCondition(options), ["compact", "model"])
      : base.addEdge("tools", behind);
  const compiled = graph.compile({ checkpointer: new MemorySaver() });
  for (const [turn, book] of ["atlas", "bible", "codex", "diary"].entries()) {
    const messages = [...added(turn), new HumanMessage(`Read the ${book}.`)];
    await compiled.invoke({ messages }, inThread("t"));
  }
  const { compaction } = (await compiled.getState(inThread("t"))).values;
  return { told, failures: compaction.failures ?? [] };
}

describe("an edge that leads around the node", () => {
  it("is told when the node runs again, with the way out", async () => {
    const { told: events } = await told("model");
    expect(events.length).toBeGreaterThan(0);
    expect(events[0]).toMatch(/^Error: The model was called with a prompt of about \d+ tokens, which meets/);
    expect(events[0]).toContain("withCompaction(callModel, options)");
  });

  it("is in the state, where the inspector finds it", async () => {
    const messages = history({ steps: 30, result: (step) => filler(300, step) });
    const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 6_000 });
    const first = await node({ messages, compaction: {} }, inThread("t"));
    const folded = (first["messages"] as { readonly value: HumanMessage[] }).value;
    const later = history({ steps: 25, result: (step) => filler(300, 100 + step) });
    for (const message of later) message.id = `more-${message.id}`;
    const more = [...folded, ...later, new AIMessage({ id: "so", content: "So it is." })];
    const asked = [...more, new HumanMessage({ id: "next", content: "And now?" })];
    const second = await node({ messages: asked, compaction: first["compaction"] }, inThread("t"));
    expect(second["compaction"]).toMatchObject({ failures: [{ rung: "wiring", after: "next" }] });
  });

  it.each<[string, Behind, Partial<ContextOptions>]>([
    ["the node runs before each call", "compact", {}],
    ["its condition does", "condition", {}],
    ["hardly anything can be folded", "compact", { pin: () => true }],
    ["the budget changes", "model", { budgetLevel: () => "normal" }],
    ["the sizes are those of the run", "model", { settings: () => ({}) }],
  ])("is not told where %s", async (_, behind, more) => {
    expect((await told(behind, more)).told).toEqual([]);
  });

  it("is not told of calls of its own that a client adds to a folded thread", async () => {
    const { told: events } = await told("compact", {}, twelveCalls);
    expect(events).toEqual([]);
  });

  it("is not told of a history that comes from elsewhere", async () => {
    const given = history({ steps: 30, result: (step) => filler(300, step) });
    const { told: events } = await told("compact", {}, (turn) => (turn === 0 ? given : []));
    expect(events).toEqual([]);
  });
});
