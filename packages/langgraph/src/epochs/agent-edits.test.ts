import { HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { hasBoundReasoning } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import {
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  createMiddleware,
  type AgentMiddleware,
} from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { foldMiddleware } from "../folding/fold-middleware.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { predictiveContextMiddleware } from "../predictive/predictive-context-middleware.js";
import { inThread } from "../testing/agent-graph.js";
import { readPageTool, turnServer } from "../testing/reasoning-agent.js";
import { readThread } from "../threads/read-thread.js";

const contextWindow = 200_000;
const systems: Readonly<Record<string, (files: VirtualFilesystem) => readonly AgentMiddleware[]>> = {
  contextMiddleware: (files) => [
    contextMiddleware({ files, contextWindow, summaryModel: "none", fileTools: [] }),
  ],
  "foldMiddleware and contextMiddleware": (files) => [
    foldMiddleware({ files, contextWindow, summaryModel: "none", condense: "on-directive" }),
    contextMiddleware({ files, contextWindow, summaryModel: "none", fileTools: [] }),
  ],
  predictiveContextMiddleware: (files) => [
    predictiveContextMiddleware({ files, budget: contextWindow, tools: [] }),
  ],
};
const noteTool = tool(() => "noted", { name: "note", description: "Notes.", schema: z.object({}) });

interface Setup {
  readonly systemPrompt?: string;
  readonly tools?: readonly (typeof readPageTool | typeof noteTool)[];
  /** Middleware before ours. */
  readonly others?: readonly AgentMiddleware[];
}

/** Plays turns of an agent on one thread, each with its own setup; the host edits the thread before the third. */
async function play(
  name: string,
  setups: readonly Setup[],
  edit?: (messages: BaseMessage[]) => BaseMessage[],
) {
  const server = await turnServer("anthropic");
  const files = VirtualFilesystem.inMemory();
  const checkpointer = new MemorySaver();
  const config = inThread("t");
  const ours = systems[name]!(files);
  let thread: readonly BaseMessage[] = [];
  for (const [
    turn,
    { systemPrompt = "You read.", tools = [readPageTool], others = [] },
  ] of setups.entries()) {
    const middleware = [...others, ...ours];
    const agent = createAgent({
      model: server.model(),
      tools: [...tools],
      systemPrompt,
      middleware,
      checkpointer,
    });
    const { graph } = agent;
    const values = (await graph.getState(config)).values as { messages?: BaseMessage[] };
    if (turn === 2 && edit !== undefined) {
      await graph.updateState(config, { messages: edit(values.messages ?? []) }, "model_request");
    }
    await agent.invoke({ messages: [new HumanMessage(`Turn ${turn}`)] }, config);
    thread = await readThread(graph as never, config, { files });
  }
  await server.close();
  const refused = server.calls.filter(({ status, invalid }) => status !== 200 || invalid.length > 0);
  return { refused, thread, reasoning: server.calls.map((call) => call.reasoning) };
}

const clearing = () =>
  contextEditingMiddleware({
    edits: [new ClearToolUsesEdit({ trigger: { tokens: 4_000 }, keep: { messages: 1 } })],
  });

/** Shortens all results but the newest in the state before each model call. */
const shortening = () =>
  createMiddleware({
    name: "Shortening",
    beforeModel({ messages }) {
      const results = messages.filter((message) => ToolMessage.isInstance(message)).slice(0, -1);
      const long = results.filter(({ text }) => text.length > 100);
      const shorter = long.map(
        ({ id, tool_call_id }) => new ToolMessage({ id: id!, tool_call_id, content: "short" }),
      );
      return { messages: shorter };
    },
  });

describe.each(Object.keys(systems))("%s", (name) => {
  it("sends all reasoning of an agent whose thread does not change", async () => {
    const { refused, reasoning } = await play(name, [{}, {}, {}]);
    expect(refused).toEqual([]);
    expect(reasoning).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it.each<[string, readonly Setup[]]>([
    ["the system prompt", [{}, { systemPrompt: "You write." }, { systemPrompt: "You write." }]],
    ["the tools", [{}, { tools: [readPageTool, noteTool] }, { tools: [readPageTool, noteTool] }]],
  ])("sends no reasoning after a change of %s, and all reasoning since", async (_, setups) => {
    const { refused, reasoning, thread } = await play(name, setups);
    expect(refused).toEqual([]);
    expect(reasoning).toEqual([0, 1, 2, 0, 1, 2, 3, 4, 5]);
    expect(thread.filter(hasBoundReasoning)).toHaveLength(9);
  });

  it("keeps the reasoning before a message that the host edits between two runs", async () => {
    const { refused, reasoning, thread } = await play(name, [{}, {}, {}], (messages) => {
      const latest = messages.findLast((message) => message.getType() === "human");
      return [new HumanMessage({ id: latest!.id!, content: "Other words" })];
    });
    expect(refused).toEqual([]);
    expect(reasoning).toEqual([0, 1, 2, 3, 4, 5, 3, 4, 5]);
    expect(thread.filter(hasBoundReasoning)).toHaveLength(9);
  });

  it.each([
    ["clears tool results in the request", clearing],
    ["shortens tool results in the state", shortening],
  ])("has no call refused beside a middleware that %s", async (_, other) => {
    const others = [other()];
    const { refused, reasoning, thread } = await play(name, [{ others }, { others }, { others }]);
    expect(refused).toEqual([]);
    expect(Math.max(...reasoning)).toBeGreaterThan(1);
    expect(thread.filter(hasBoundReasoning)).toHaveLength(9);
  });
});
