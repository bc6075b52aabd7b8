import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { estimateTokens, foldOf, toStoredMessage } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { storedBytes, unfolded } from "../testing/storage.js";
import { readThread } from "../threads/read-thread.js";
import { fileTools } from "../tools/file-tools.js";
import { contextMiddleware, type ContextMiddlewareOptions } from "./context-middleware.js";

const contextWindow = 13_000;
const versions = ["v1", "v2"] as const;

interface Agent extends Partial<ContextMiddlewareOptions> {
  readonly version: "v1" | "v2";
  readonly model: ScriptedModel;
  readonly tools?: Parameters<typeof createAgent>[0]["tools"];
}

function agent({ version, model, tools = [], ...options }: Agent) {
  const files = options.files ?? VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const middleware = [contextMiddleware({ contextWindow, summaryModel: "none", ...options, files, onEvent })];
  const saver = new MemorySaver();
  const graph = createAgent({ model, tools, middleware, version, checkpointer: saver });
  async function run(messages: readonly BaseMessage[]) {
    const state = await graph.invoke({ messages: [...messages] }, inThread("t"));
    return state as unknown as { messages: BaseMessage[]; files: Record<string, unknown> };
  }
  return { graph, saver, files, events, run };
}

describe.each(versions)("createAgent %s", (version) => {
  it("keeps every prompt legal and inside the window, and loses nothing", async () => {
    const job = readingJob({ pages: 90, parallel: 3, lines: 40 });
    const { run, files, graph } = agent({ version, model: job.model, tools: job.tools });
    const { messages } = await run([job.ask("atlas")]);
    const reloaded = (await graph.graph.getState(inThread("t"))).values as { messages: BaseMessage[] };

    expect(job.model.prompts).toHaveLength(31);
    expect(job.model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(
      contextWindow,
    );
    expect(messages.some((message) => foldOf(message)?.kind === "summary")).toBe(true);
    expect(nameless(await unfolded(messages, files, "t"))).toEqual(nameless(job.thread("atlas")));
    expect(reloaded.messages.map((message) => toStoredMessage(message))).toEqual(
      messages.map((message) => toStoredMessage(message)),
    );
  });

  it("gives the same history as the node in a graph", async () => {
    const inGraph = readingJob({ pages: 40, parallel: 2, lines: 40 });
    const inAgent = readingJob({ pages: 40, parallel: 2, lines: 40 });
    const compact = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow });
    const graph = agentGraph({ model: inGraph.model, tools: inGraph.tools, compact });
    const one = await graph.invoke({ messages: [inGraph.ask("atlas")] }, inThread("t"));
    const other = await agent({ version, model: inAgent.model, tools: inAgent.tools }).run([
      inAgent.ask("atlas"),
    ]);
    expect(shape(other.messages)).toEqual(shape(one.messages));
  });

  it("offloads a huge result before it enters the state", async () => {
    const dump = tool(() => filler(30_000), { name: "dump", schema: z.object({}) });
    const model = calling([["dump", {}]]);
    const { run, events, files, saver } = agent({ version, model, tools: [dump], contextWindow: 200_000 });
    const { messages } = await run([new HumanMessage({ id: "q", content: "Go" })]);
    const result = messages.find((message) => ToolMessage.isInstance(message))!;

    expect(storedBytes(saver)).toBeGreaterThan(1_000);
    expect(storedBytes(saver)).toBeLessThan(filler(30_000).length);
    expect(model.prompts[1]?.at(-1)?.text).toContain("Full text: /context/results/dump-");
    expect(await files.thread("t").archive.readText(foldOf(result)?.path ?? "")).toBe(filler(30_000));
    expect(events).toEqual([
      expect.objectContaining({ type: "context.fold", reason: "arrival", threadId: "t" }),
    ]);
  });

  it("brings the file tools, whose files live in the state and survive a turn", async () => {
    const model = calling([
      ["write_file", { path: "/a.md", content: "kept" }],
      ["read_file", { path: "/a.md" }],
    ]);
    const { run, graph } = agent({ version, model });
    const { messages } = await run([new HumanMessage({ id: "q", content: "Go" })]);
    expect(
      messages.filter((message) => ToolMessage.isInstance(message)).map((message) => message.text),
    ).toEqual(["Wrote 4 characters to /a.md.", "[/a.md lines 1-1 of 1]\nkept"]);
    const state = (await graph.graph.getState(inThread("t"))).values as { files: object };
    expect(Object.keys(state.files)).toEqual(["/a.md"]);
    expect(model.bound.at(-1)?.map(({ name }) => name)).toEqual(fileToolNamesOf());
  });

  it("binds no file tools when `fileTools` is empty", async () => {
    const model = calling([]);
    const { run } = agent({ version, model, fileTools: [] });
    await run([new HumanMessage("Go")]);
    expect(model.bound.flat()).toEqual([]);
  });

  it("gives the agent compress_context and the fill of its prompt, changes no tool, and carries out a request once", async () => {
    const model = calling([
      ["compress_context", { reason: "the phase is done" }],
      ["ls", {}],
      ["ls", {}],
    ]);
    const options = { agentControlled: true, contextWindow: 20_000, keep: { tokens: 500 } };
    const { run, events } = agent({ version, model, ...options });
    const past = [
      ...history({ steps: 12, result: (step) => filler(1_000, step) }),
      new AIMessage({ id: "done", content: "Found." }),
    ];
    const { messages } = await run([...past, new HumanMessage({ id: "more", content: "Go on." })]);
    expect(new Set(model.bound.map((tools) => JSON.stringify(tools))).size).toBe(1);
    expect(
      model.prompts.map((prompt) => /\[Context: about \d+ %/.exec(prompt.at(-1)?.text ?? "")?.[0]),
    ).toEqual(["[Context: about 70 %", undefined, undefined, undefined]);
    expect(messages.some((message) => message.text.includes("[Context:"))).toBe(false);
    expect(messages.find((message) => ToolMessage.isInstance(message))?.text).toContain(
      "The context is compacted before your next step",
    );
    expect(events.map((event) => `${event.type} ${"reason" in event ? event.reason : ""}`)).toEqual([
      "context.fold agent",
      "context.certificate agent",
      "context.compaction agent",
    ]);
    expect(model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
  });

  it("does not offer compress_context unless the agent is to control its context", async () => {
    const model = calling([]);
    const { run } = agent({ version, model });
    await run([new HumanMessage("Go")]);
    expect(model.bound.flat().map(({ name }) => name)).not.toContain("compress_context");
  });
});

describe.each(versions)("createAgent %s, when the provider refuses the prompt", (version) => {
  const past = [
    ...history({ steps: 20, result: (step) => filler(400, step) }),
    new AIMessage({ id: "done", content: "Found." }),
  ];
  const question = new HumanMessage({ id: "now", content: "What is the value of step 3?" });

  it("compacts, tries once more, and leaves the compacted context and the reply in the state", async () => {
    const model = limited(5_000);
    const { run, files, events } = agent({ version, model, contextWindow: 200_000 });
    const { messages } = await run([...past, question]);

    expect(model.prompts).toHaveLength(2);
    expect(messages.map(({ id }) => id)).toEqual([...(model.prompts[1] ?? []).map(({ id }) => id), "reply"]);
    expect(messages.at(-2)?.text).toBe(question.text);
    expect(illegalities(messages)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "context.compaction", reason: "overflow" });
    expect((await unfolded(messages, files, "t")).map(({ data }) => data["id"])).toEqual(
      [...past, question].map(({ id }) => id).concat("reply"),
    );
  });

  it("recognizes the message of a provider without an error class of its own", async () => {
    const model = limited(5_000, () => new Error("400 prompt is too long: 9000 tokens > 5000 maximum"));
    const { messages } = await agent({ version, model, contextWindow: 200_000 }).run([...past, question]);
    expect(messages.at(-1)?.text).toBe("Seven.");
  });

  it("throws a second overflow, and does not loop", async () => {
    const model = limited(10);
    await expect(agent({ version, model, contextWindow: 200_000 }).run([...past, question])).rejects.toThrow(
      /tokens/,
    );
    expect(model.prompts).toHaveLength(2);
  });

  it("throws other errors at once", async () => {
    const model = limited(10, () => new Error("401 no such key"));
    await expect(agent({ version, model, contextWindow: 200_000 }).run([...past, question])).rejects.toThrow(
      "no such key",
    );
    expect(model.prompts).toHaveLength(1);
  });
});

it.each([
  ["a list", z.array(z.string()).default(["mine.txt"]), '["mine.txt"]'],
  ["texts by name", z.record(z.string(), z.any()).default({ "mine.txt": "text" }), '{"mine.txt":"text"}'],
])(
  "refuses a channel files of the host that holds %s, unless it has no file tools",
  async (_, channel, shown) => {
    const parts = { model: calling([]), tools: [], stateSchema: z.object({ files: channel }) };
    const options = { files: VirtualFilesystem.inMemory(), contextWindow, summaryModel: "none" as const };
    const input = { messages: [new HumanMessage("Go")] } as never;
    const refused = createAgent({ ...parts, middleware: [contextMiddleware(options)] });
    await expect(refused.invoke(input, inThread("t"))).rejects.toThrow(
      `has a channel "files" of its own, which holds ${shown}`,
    );
    const accepted = createAgent({
      ...parts,
      middleware: [contextMiddleware({ ...options, fileTools: [] })],
    });
    const { files } = (await accepted.invoke(input, inThread("t"))) as { readonly files?: unknown };
    expect(JSON.stringify(files)).toBe(shown);
  },
);

it.each(versions)(
  "takes no step of the graph, whether or not it compacts: createAgent %s",
  async (version) => {
    async function nodesOf(middleware: AgentMiddleware[]) {
      const job = readingJob({ pages: 9, lines: 60 });
      const checkpointer = new MemorySaver();
      const graph = createAgent({ model: job.model, tools: job.tools, middleware, checkpointer, version });
      const stream = await graph.stream(
        { messages: [job.ask("atlas")] },
        { ...inThread("t"), streamMode: "updates" },
      );
      const nodes: string[] = [];
      for await (const update of stream as AsyncIterable<object>) nodes.push(...Object.keys(update));
      return nodes;
    }
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const options = { files: VirtualFilesystem.inMemory(), summaryModel: "none", onEvent } as const;
    const without = await nodesOf([]);
    expect(await nodesOf([contextMiddleware({ ...options, contextWindow: 6_000 })])).toEqual(without);
    expect(events.some(({ type }) => type === "context.compaction")).toBe(true);
  },
);

it("streams its events as custom chunks, and no token of a summary", async () => {
  const job = readingJob({ pages: 40, lines: 30 });
  const summarizer = new ScriptedModel(() => new AIMessage("## Findings\n- SECRETSUMMARY of the pages"));
  const options = {
    contextWindow: 9_000,
    model: summarizer,
    trigger: { messages: 20 },
    keep: { messages: 4 },
  };
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const middleware = [contextMiddleware({ files: VirtualFilesystem.inMemory(), ...options, onEvent })];
  const graph = createAgent({
    model: job.model,
    tools: job.tools,
    middleware,
    checkpointer: new MemorySaver(),
  });
  const streamMode: ["custom", "messages"] = ["custom", "messages"];
  const custom: unknown[] = [];
  const texts: string[] = [];
  const stream = await graph.stream({ messages: [job.ask("atlas")] }, { ...inThread("t"), streamMode });
  for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
    if (mode === "custom") custom.push(chunk);
    else texts.push((chunk as [BaseMessage])[0].text);
  }
  expect(events.length).toBeGreaterThan(2);
  expect(custom).toEqual(events);
  expect(summarizer.prompts.length).toBeGreaterThan(1);
  expect(texts.join("")).not.toContain("SECRETSUMMARY");
  expect(texts.join("")).toContain("atlas is read.");
});

/** Returns what stands where in a context: message types, folds, and how much each covers. */
function shape(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map((message) => {
    const fold = foldOf(message);
    return `${message.getType()} ${fold?.kind ?? "whole"} ${fold?.covers.length ?? 0}`;
  });
}

/** A provider that refuses prompts of more tokens than it takes. */
function limited(limit: number, error = overflow): ScriptedModel {
  return new ScriptedModel((prompt) => {
    const tokens = estimateTokens(prompt);
    if (tokens > limit) throw error(tokens);
    return new AIMessage({ id: "reply", content: "Seven." });
  });
}

function overflow(tokens: number): Error {
  return new ContextOverflowError(`${tokens} tokens`);
}

/** Makes one call at each step, then ends. */
function calling(calls: readonly (readonly [string, Record<string, unknown>])[]): ScriptedModel {
  return new ScriptedModel((_, step) => {
    const call = calls[step];
    const made = call === undefined ? [] : [{ id: `c${step}`, name: call[0], args: call[1] }];
    return new AIMessage({ id: `new-${step}`, content: "Working.", tool_calls: made });
  });
}

function fileToolNamesOf(): readonly string[] {
  return fileTools({ files: VirtualFilesystem.inMemory() }).map(({ name }) => name);
}

/** `createAgent` writes its own name on what the model says. */
function nameless(messages: Awaited<ReturnType<typeof unfolded>>) {
  return messages.map((message) => ({ ...message, data: { ...message.data, name: undefined } }));
}

/** Pages that are read in one turn. */
const pages = 8;

/** Reads some pages in every turn, each by a call of its own, and then answers. */
function reading() {
  const happened: string[] = [];
  function say<Text extends string>(text: Text): Text {
    happened.push(text);
    return text;
  }
  const model = new ScriptedModel((_, call) => {
    if (call % (pages + 1) === pages)
      return new AIMessage({ id: `end-${call}`, content: say(`End ${call}.`) });
    const calls = [{ id: `call-${call}`, name: "page", args: { call } }];
    return new AIMessage({ id: `ai-${call}`, content: say(`Page ${call}.`), tool_calls: calls });
  });
  const page = tool(({ call }) => say(filler(500, call)), {
    name: "page",
    schema: z.object({ call: z.number() }),
  });
  return { model, tools: [page], happened, say };
}

it.each([
  ["inside alone", () => async () => ({})],
  ["in the owner too", compactionNode],
])("a node of a larger graph has a bounded context, compacted %s, and loses nothing", async (_, owner) => {
  const files = VirtualFilesystem.inMemory();
  const { model, tools, happened, say } = reading();
  const options = { files, contextWindow };
  const middleware = [contextMiddleware({ ...options, summaryModel: "none", fileTools: [] })];
  const inner = createAgent({ model, tools, middleware });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("before", owner(options))
    .addNode("agent", inner.graph)
    .addEdge(START, "before")
    .addEdge("before", "agent")
    .compile({ checkpointer: new MemorySaver() });
  const config = { ...inThread("t"), recursionLimit: 300 };
  for (const turn of [1, 2, 3, 4]) {
    await graph.invoke(
      { messages: [new HumanMessage({ id: `q${turn}`, content: say(`Go on, ${turn}.`) })] },
      config,
    );
  }
  const sizes = model.prompts.map((prompt) => estimateTokens(prompt));
  expect(Math.max(...sizes)).toBeLessThan(contextWindow);
  expect(model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
  expect((await readThread(graph, config, { files })).map(({ text }) => text)).toEqual(happened);
});
