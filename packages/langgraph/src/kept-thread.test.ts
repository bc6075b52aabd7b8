import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  type BaseCheckpointSaver,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { compactionNode, contextIn, unfoldTool, withCompaction, type ContextOptions } from "./index.js";
import { contextMiddleware } from "./middleware/index.js";
import { agentState, inThread, type agentGraph } from "./testing/agent-graph.js";
import { filler } from "./testing/history.js";
import { ScriptedModel } from "./testing/scripted-model.js";
import { compactThread, previewThread, readThread, unfoldThread } from "./threads/index.js";

const contextWindow = 4_000;
const config = inThread("t");

interface Parts {
  readonly model: ScriptedModel;
  readonly options: ContextOptions;
  readonly checkpointer: BaseCheckpointSaver;
}

const look = tool(async ({ place }: { place: number }) => `Place ${place}. ${filler(350, place)}`, {
  name: "look",
  description: "Looks at a place.",
  schema: z.object({ place: z.number() }),
});

type Host = (parts: Parts) => ReturnType<typeof agentGraph>;

/** The hosts that keep a thread, each as a compiled graph. */
const hosts = {
  withCompaction: ({ model, options, checkpointer }: Parts) =>
    new StateGraph(agentState)
      .addNode(
        "model",
        withCompaction(
          async ({ messages }: typeof agentState.State) => ({ messages: [await model.invoke(messages)] }),
          options,
        ),
      )
      .addNode("tools", new ToolNode([look, unfoldTool(options)]))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "model")
      .compile({ checkpointer }),
  compactionNode: ({ model, options, checkpointer }: Parts) =>
    new StateGraph(agentState)
      .addNode("model", async (state) => ({ messages: [await model.invoke([...contextIn(state)])] }))
      .addNode("tools", new ToolNode([look, unfoldTool(options)]))
      .addNode("compact", compactionNode(options))
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "compact")
      .compile({ checkpointer }),
  contextMiddleware: ({ model, options, checkpointer }: Parts) =>
    createAgent({
      model,
      tools: [look, unfoldTool(options)],
      middleware: [contextMiddleware({ ...options, summaryModel: "none", fileTools: [] })],
      checkpointer,
    }).graph,
} as unknown as Record<"withCompaction" | "compactionNode" | "contextMiddleware", Host>;

/** An agent that looks at four places in each turn. Every turn is run by a new graph, as after a restart. */
function begin(host: Host) {
  const files = VirtualFilesystem.inMemory();
  const options: ContextOptions = { files, contextWindow, limits: { offload: 300 }, keepThread: true };
  const checkpointer = new MemorySaver();
  let refuses = false;
  const model = new ScriptedModel((prompt) => {
    const isRefused = refuses;
    refuses = false;
    if (isRefused) throw new ContextOverflowError("prompt is too long");
    // The newest message alone says what comes next: the others may be folded.
    const newest = prompt.at(-1);
    const isResult = ToolMessage.isInstance(newest);
    const number = Number((isResult ? newest.tool_call_id : newest?.text)?.match(/\d+/)?.[0]);
    const place = isResult ? number + 1 : number * 4;
    const [turn, step] = isResult ? [Math.floor(number / 4), (number % 4) + 1] : [number, 0];
    const calls = step === 4 ? [] : [{ id: `c${place}`, name: "look", args: { place } }];
    return new AIMessage({ id: `a${turn}-${step}`, content: `Step ${step}.`, tool_calls: calls });
  });
  const open = () => host({ model, options, checkpointer });
  return {
    files,
    options,
    model,
    open,
    refuseOnce: () => void (refuses = true),
    ask: async (turn: number, at = config) =>
      open().invoke({ messages: [new HumanMessage({ id: `u${turn}`, content: `Turn ${turn}.` })] }, at),
    state: async () => (await open().getState(config)).values as typeof agentState.State,
  };
}

/** What the thread is after a number of turns, by its ids. */
const idsAfter = (turns: number) =>
  Array.from({ length: turns }, (_, turn) => [
    `u${turn}`,
    ...[0, 1, 2, 3].flatMap((step) => [`a${turn}-${step}`, `of c${turn * 4 + step}`]),
    `a${turn}-4`,
  ]).flat();
const idsOf = (messages: readonly BaseMessage[]) =>
  messages.map((message) => ("tool_call_id" in message ? `of ${String(message.tool_call_id)}` : message.id));
const folded = (messages: readonly BaseMessage[]) => messages.filter((message) => foldOf(message));

function expectWhole(messages: readonly BaseMessage[], turns: number): void {
  expect(idsOf(messages)).toEqual(idsAfter(turns));
  expect(folded(messages)).toEqual([]);
  const places = messages.flatMap((message) => ("tool_call_id" in message ? [message.text] : []));
  expect(places).toEqual(places.map((_, place) => `Place ${place}. ${filler(350, place)}`));
}

describe.each(Object.entries(hosts))("a thread that %s keeps", (_, host) => {
  const { ask, open, options, files, model, state } = begin(host);
  beforeAll(async () => {
    for (let turn = 0; turn < 6; turn++) await ask(turn);
  });
  const prompts = () => model.prompts.slice(0, 30);

  it("is whole in the state, while every prompt is legal and fits, in a new process at each turn", async () => {
    expectWhole((await state()).messages, 6);
    for (const prompt of prompts()) {
      expect(illegalities(prompt)).toEqual([]);
      expect(estimateTokens(prompt)).toBeLessThan(contextWindow);
    }
    expect(
      new Set(
        prompts()
          .at(-1)
          ?.map((message) => foldOf(message)?.kind),
      ),
    ).toContain("summary");
  });

  it("has its context beside it: stand-ins, and the ids of all other messages", async () => {
    const { compaction, messages } = await state();
    const parts = compaction.context ?? [];
    const copies = parts.filter((part) => typeof part === "object" && !Array.isArray(part)) as BaseMessage[];
    expect(copies.length).toBeGreaterThan(0);
    expect(folded(copies)).toEqual(copies);
    expect(contextIn({ compaction, messages }).length).toBeGreaterThan(copies.length);
  });

  it("is sent with the same beginning from one compaction to the next", () => {
    const sent = prompts().map((prompt) =>
      prompt.map(({ type, content }) => JSON.stringify([type, content])),
    );
    const breaks = sent.slice(1).filter((after, at) => sent[at]?.some((one, place) => one !== after[place]));
    expect(breaks.length).toBeLessThan(3);
  });

  it("forks into threads that each go on with the context of their checkpoint", async () => {
    const history = [];
    for await (const snapshot of open().getStateHistory(config)) history.push(snapshot);
    const early = history.find(({ values, next }) => {
      const { messages = [] } = values as { messages?: BaseMessage[] };
      return next.length === 0 && idsOf(messages).at(-1) === "a2-4";
    });
    const { configurable } = early?.config ?? {};
    const { messages } = await ask(3, { ...config, configurable: { thread_id: "t", ...configurable } });
    expectWhole(messages, 4);
    expect(illegalities(model.prompts.at(-1) ?? [])).toEqual([]);
    expect(idsOf(model.prompts.at(-1) ?? [])).not.toContain("u4");
  });

  it("shows no stand-in to a client that streams it", async () => {
    const input = { messages: [new HumanMessage({ id: "u4", content: "Turn 4." })] };
    const shown: BaseMessage[] = [];
    for await (const [mode, chunk] of await open().stream(input, {
      ...config,
      streamMode: ["messages", "values"],
    })) {
      if (mode === "messages") shown.push((chunk as unknown as [BaseMessage])[0]);
      else shown.push(...(chunk as { messages: BaseMessage[] }).messages);
    }
    expect(shown.length).toBeGreaterThan(50);
    expect(folded(shown)).toEqual([]);
    expect(shown.filter((message) => message.text.includes("/context/"))).toEqual([]);
  });

  it("comes back from stand-ins by the tools and functions of a thread", async () => {
    expectWhole(await readThread(open(), config, { files }), 5);
    const before = await state();
    const [fold] = contextIn(before).flatMap((message) => foldOf(message) ?? []);
    const unfold = unfoldTool(options);
    const page: unknown = await unfold.invoke({ fold: fold?.id }, { ...config, state: before } as never);
    expect(page).toContain("Place 0.");
    expect(await previewThread(open(), config, options)).toMatchObject({ tokensBefore: expect.any(Number) });
    const asNode = "model" in open().nodes ? "model" : "model_request";
    await unfoldThread(open(), config, { ...options, contextWindow: 1_000_000, asNode });
    expect(folded(contextIn(await state()))).toEqual([]);
    expect(await compactThread(open(), config, { ...options, asNode })).toMatchObject({ applied: true });
    expect(folded(contextIn(await state())).length).toBeGreaterThan(0);
    expectWhole((await state()).messages, 5);
  });
});

it.each(["withCompaction", "contextMiddleware"] as const)(
  "a prompt that the provider refuses is compacted and sent again by %s, and the thread stays whole",
  async (name) => {
    const { ask, state, model, refuseOnce } = begin(hosts[name]);
    for (let turn = 0; turn < 2; turn++) await ask(turn);
    refuseOnce();
    await ask(2);
    expectWhole((await state()).messages, 3);
    const sizes = model.prompts.map((prompt) => estimateTokens(prompt));
    const refused = model.prompts.findIndex(
      (prompt, at) => prompt.at(-1)?.id === model.prompts[at + 1]?.at(-1)?.id,
    );
    expect(sizes[refused + 1]).toBeLessThan(sizes[refused] ?? 0);
  },
);

describe("keepThread", () => {
  const files = VirtualFilesystem.inMemory();

  it("is refused beside an outputKey", () => {
    const options = { files, contextWindow, keepThread: true, outputKey: "context" };
    expect(() => compactionNode(options)).toThrow(/keepThread is true and outputKey is "context"/);
  });

  it("says which channel is missing in a graph that has none for the context", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("compact", compactionNode({ files, contextWindow, keepThread: true }))
      .addEdge(START, "compact")
      .compile();
    await expect(graph.invoke({ messages: ["Hello"] })).rejects.toThrow(/no channel compaction/);
  });

  it("can be switched on and off in a thread, and loses nothing", async () => {
    const { options, model } = begin(hosts.contextMiddleware);
    const checkpointer = new MemorySaver();
    for (const [turn, keepThread] of [false, false, true, true, true, false, false].entries()) {
      const graph = hosts.contextMiddleware({
        model,
        options: { ...options, keepThread },
        checkpointer,
      });
      await graph.invoke(
        { messages: [new HumanMessage({ id: `u${turn}`, content: `Turn ${turn}.` })] },
        config,
      );
      expectWhole(await readThread(graph, config, { files: options.files }), turn + 1);
      expect(illegalities(model.prompts.at(-1) ?? [])).toEqual([]);
      expect(estimateTokens(model.prompts.at(-1) ?? [])).toBeLessThan(contextWindow);
    }
  });
});
