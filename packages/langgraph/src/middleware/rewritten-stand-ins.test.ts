import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, piiMiddleware, summarizationMiddleware, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { foldMiddleware } from "../folding/fold-middleware.js";
import { predictiveContextMiddleware } from "../predictive/predictive-context-middleware.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";
import { contextMiddleware } from "./context-middleware.js";

const contextWindow = 8_000;

interface Shared {
  readonly files: VirtualFilesystem;
  readonly keepThread: boolean;
  readonly onEvent: (event: ContextEvent) => void;
}

const systems: Readonly<Record<string, (shared: Shared) => AgentMiddleware>> = {
  contextMiddleware: (shared) =>
    contextMiddleware({ ...shared, contextWindow, summaryModel: "none", fileTools: [] }),
  foldMiddleware: (shared) => foldMiddleware({ ...shared, contextWindow, summaryModel: "none" }),
  predictiveContextMiddleware: (shared) =>
    predictiveContextMiddleware({ ...shared, budget: contextWindow, tools: [] }),
};

const look = tool(({ page }) => `ask bob${page}@example.com\n${filler(600, page)}`, {
  name: "look",
  description: "Looks.",
  schema: z.object({ page: z.number() }),
});

/** Plays 30 steps and a second turn beside the middleware that redacts addresses in the newest message of the user. */
async function play(ours: readonly AgentMiddleware[]) {
  const model = new ScriptedModel((_, call) => {
    const calls = call < 30 ? [{ id: `c${call}`, name: "look", args: { page: call } }] : [];
    return new AIMessage({ id: `a${call}`, content: `Step ${call}.`, tool_calls: calls });
  });
  const middleware = [piiMiddleware("email") as AgentMiddleware, ...ours];
  const { graph } = createAgent({ model, tools: [look], middleware, checkpointer: new MemorySaver() });
  for (const turn of [0, 1]) {
    const asked = new HumanMessage({ id: `u${turn}`, content: `Find bob3@example.com, ${turn}.` });
    await graph.invoke({ messages: [asked] }, inThread("t"));
  }
  return { graph, model };
}

const said = (messages: readonly BaseMessage[]) => messages.map(({ id, text }) => [id, text].join(" "));
const withoutResultIds = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/^run-\S+|^[\da-f-]{36}/, ""));

describe.each(Object.keys(systems))("%s beside middleware that makes new messages of stand-ins", (name) => {
  it.each([false, true])("loses no message; keepThread: %s", async (keepThread) => {
    const files = VirtualFilesystem.inMemory();
    const events: ContextEvent[] = [];
    const shared = { files, keepThread, onEvent: (event: ContextEvent) => void events.push(event) };
    const { graph, model } = await play([systems[name]!(shared)]);
    const alone = await play([]);
    const { values } = await alone.graph.getState(inThread("t"));
    const read = await readThread(graph, inThread("t"), { files });
    const rewritten = read.filter(({ id = "" }) => /^(?:summary|micro|macro|steps)-/.test(id));
    const thread = read.filter((message) => !rewritten.includes(message));

    expect(withoutResultIds(said(thread))).toEqual(
      withoutResultIds(said((values as { messages: BaseMessage[] }).messages)),
    );
    expect(read.filter((message) => foldOf(message) !== undefined)).toEqual([]);
    expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(
      contextWindow,
    );
    // The words of what was rewritten are the host's own: they stay, and an event says so.
    expect(rewritten.length === 0).toBe(keepThread);
    expect(events.some((event) => event.type === "context.fail" && event.rung === "wiring")).toBe(
      !keepThread,
    );
  });
});

const summarizing = () =>
  summarizationMiddleware({
    model: new ScriptedModel(() => new AIMessage("What was said.")),
    trigger: { tokens: 1_500 },
    keep: { messages: 4 },
  } as never) as unknown as AgentMiddleware;

/** Plays turns of 900 tokens, each with its middleware, and returns the failures that were told of. */
async function failures(turns: readonly (readonly AgentMiddleware[])[], events: readonly ContextEvent[]) {
  const model = new ScriptedModel((_, call) => new AIMessage({ id: `a${call}`, content: filler(600, call) }));
  const checkpointer = new MemorySaver();
  for (const [turn, middleware] of turns.entries()) {
    const { graph } = createAgent({ model, tools: [], middleware: [...middleware], checkpointer });
    const asked = new HumanMessage({ id: `u${turn}`, content: filler(300, turn) });
    await graph.invoke({ messages: [asked] }, inThread("t"));
  }
  const texts = model.prompts.flatMap((prompt) => prompt.map(({ text }) => text));
  expect(texts.some((text) => text.includes("What was said."))).toBe(true);
  return events.flatMap((event) => (event.type === "context.fail" ? [event.rung] : []));
}

function ownWith(events: ContextEvent[]): AgentMiddleware {
  const shared = { files: VirtualFilesystem.inMemory(), keepThread: false };
  return systems["contextMiddleware"]!({ ...shared, onEvent: (event) => void events.push(event) });
}

describe("summarizationMiddleware of langchain", () => {
  it("is told of where it deletes messages beside contextMiddleware", async () => {
    const events: ContextEvent[] = [];
    const both = [summarizing(), ownWith(events)];
    expect(new Set(await failures([both, both, both, both, both], events))).toEqual(new Set(["wiring"]));
  });

  it("is not told of in a thread that had it before", async () => {
    const events: ContextEvent[] = [];
    const own = ownWith(events);
    const before = [summarizing()];
    expect(await failures([before, before, before, before, [own], [own]], events)).toEqual([]);
  });
});
