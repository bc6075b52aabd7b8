import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { createAgent, createMiddleware, providerStrategy, toolStrategy } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { unfolded } from "../testing/storage.js";
import { agentOptions } from "./agent-options.js";
import { resolveOptions } from "./resolve-options.js";
import { foldMiddleware } from "../folding/fold-middleware.js";
import { predictiveContextMiddleware } from "../predictive/predictive-context-middleware.js";
import { contextMiddleware, type ContextMiddlewareOptions } from "../middleware/context-middleware.js";

interface Reading extends Partial<ContextMiddlewareOptions> {
  readonly version?: "v1" | "v2";
  readonly agentWindow: number;
  readonly pages: number;
}

/** Plays an agent that reads pages of about 1,050 tokens, and returns its prompts and the events. */
async function read({ version = "v1", agentWindow, pages, ...options }: Reading) {
  const job = readingJob({ pages, lines: 80, contextWindow: agentWindow });
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const graph = createAgent({
    model: job.model,
    tools: job.tools,
    middleware: [contextMiddleware({ summaryModel: options.model ?? "none", ...options, files, onEvent })],
    version,
    checkpointer: new MemorySaver(),
  });
  const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
  const compactions = events.filter((event) => event.type === "context.compaction");
  return { prompts: job.model.prompts, messages, compactions, files, thread: () => job.thread("atlas") };
}

function storage() {
  return { files: VirtualFilesystem.inMemory() };
}

function summarizer(contextWindow?: number): ScriptedModel {
  return new ScriptedModel(() => new AIMessage("## Findings\n- The pages hold values"), 0, contextWindow);
}

function sizes(prompts: readonly (readonly BaseMessage[])[]): readonly number[] {
  return prompts.map((prompt) => estimateTokens(prompt));
}

/** Returns a thread of reads with results of about so many tokens, and a question after it. */
function handedOver(steps: number, resultTokens: number): BaseMessage[] {
  return [
    ...history({ steps, result: (step) => filler(resultTokens, step) }),
    new AIMessage({ id: "done", content: "Found." }),
    new HumanMessage({ id: "now", content: "What is the value of step 3?" }),
  ];
}

describe.each(["v1", "v2"] as const)("createAgent %s", (version) => {
  it.each(["model", "summaryModel"] as const)(
    "stays inside the window of a 32k agent when the summarizer, given as %s, has 1M",
    async (name) => {
      const writer = summarizer(1_000_000);
      // Masking frees tokens and no message: the second trigger makes the summarizer work.
      const trigger = [{ fraction: 0.85 }, { messages: 80 }];
      const options = { version, agentWindow: 32_000, pages: 60, trigger };
      const played = await read({ ...options, [name]: writer });
      expect(Math.max(...sizes(played.prompts))).toBeLessThan(0.9 * 32_000);
      expect(played.compactions.length).toBeGreaterThan(0);
      expect(writer.prompts.length).toBeGreaterThan(0);
      expect(played.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
      expect((await unfolded(played.messages, played.files, "t")).map(({ data }) => data["content"])).toEqual(
        played.thread().map(({ data }) => data["content"]),
      );
    },
  );

  it.each(["model", "summaryModel"] as const)(
    "compacts nothing at 30k of a 200k agent when the summarizer, given as %s, has 16k",
    async (name) => {
      const played = await read({ version, agentWindow: 200_000, pages: 36, [name]: summarizer(16_000) });
      expect(Math.max(...sizes(played.prompts))).toBeGreaterThan(30_000);
      expect(played.compactions).toEqual([]);
    },
  );

  it("fits a thread that is handed over whole before its first model call, and stores what was sent", async () => {
    const past = handedOver(30, 600);
    const model = new ScriptedModel(() => new AIMessage({ id: "reply", content: "Seven." }), 0, 12_000);
    const files = VirtualFilesystem.inMemory();
    const middleware = [contextMiddleware({ files, summaryModel: "none" })];
    const graph = createAgent({ model, tools: [], middleware, version, checkpointer: new MemorySaver() });
    const { messages } = await graph.invoke({ messages: past }, inThread("t"));
    expect(estimateTokens(past)).toBeGreaterThan(15_000);
    expect(sizes(model.prompts)).toHaveLength(1);
    expect(sizes(model.prompts)[0]).toBeLessThan(0.85 * 12_000);
    expect(messages.map(({ id }) => id)).toEqual([...model.prompts[0]!.map(({ id }) => id), "reply"]);
    expect((await unfolded(messages, files, "t")).map(({ data }) => data["id"])).toEqual(
      past.map(({ id }) => id).concat("reply"),
    );
  });

  it("keeps native structured output beside the window that the first call finds", async () => {
    const model = new ScriptedModel(() => new AIMessage({ content: '{"value":7}' }), 0, 12_000);
    const graph = createAgent({
      model,
      tools: [],
      middleware: [
        contextMiddleware({ files: VirtualFilesystem.inMemory(), summaryModel: "none", fileTools: [] }),
      ],
      responseFormat: providerStrategy(z.object({ value: z.number() })),
      version,
      checkpointer: new MemorySaver(),
    });
    const { structuredResponse } = await graph.invoke({ messages: [new HumanMessage("Go")] }, inThread("t"));
    expect(structuredResponse).toEqual({ value: 7 });
  });

  it.each([
    ["contextMiddleware", contextMiddleware({ ...storage(), summaryModel: "none", fileTools: [] })],
    ["foldMiddleware", foldMiddleware(storage())],
    ["predictiveContextMiddleware", predictiveContextMiddleware({ ...storage(), budget: 8_000 })],
  ])("ends with structured output by a tool call of a model that reasons: %s", async (_, middleware) => {
    const args = { value: 7 };
    const model = new ScriptedModel(
      () =>
        new AIMessage({
          content: [{ type: "thinking", thinking: "Seven.", signature: "c2V2ZW4=" }],
          tool_calls: [{ id: "call", name: "answer", args }],
        }),
      0,
      12_000,
    );
    const schema = z.object({ value: z.number() }).meta({ title: "answer" });
    const responseFormat = toolStrategy(schema);
    const checkpointer = new MemorySaver();
    const graph = createAgent({
      model,
      tools: [],
      middleware: [middleware],
      responseFormat,
      version,
      checkpointer,
    });
    const { structuredResponse, messages } = await graph.invoke(
      { messages: [new HumanMessage("Go")] },
      inThread("t"),
    );
    expect(structuredResponse).toEqual(args);
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(model.prompts).toHaveLength(1);
  });

  it("keeps native structured output when the provider refuses the first prompt", async () => {
    const model = new ScriptedModel((prompt) => {
      if (estimateTokens(prompt) > 5_000) throw new ContextOverflowError("too long");
      return new AIMessage({ id: "reply", content: '{"value":7}' });
    });
    const files = VirtualFilesystem.inMemory();
    const graph = createAgent({
      model,
      tools: [],
      middleware: [contextMiddleware({ files, contextWindow: 200_000, summaryModel: "none", fileTools: [] })],
      responseFormat: providerStrategy(z.object({ value: z.number() })),
      version,
      checkpointer: new MemorySaver(),
    });
    const { structuredResponse, messages } = await graph.invoke(
      { messages: handedOver(20, 400) },
      inThread("t"),
    );
    expect(structuredResponse).toEqual({ value: 7 });
    expect(messages.map(({ id }) => id)).toEqual([...model.prompts[1]!.map(({ id }) => id), "reply"]);
  });

  it("shows the model why its structured answer was refused, when the prompt overflowed in the same step", async () => {
    const replies = [{ value: "seven" }, { value: 7 }].map(
      (args, at) =>
        new AIMessage({
          id: `reply${at}`,
          content: "",
          tool_calls: [{ id: `call${at}`, name: "answer", args }],
        }),
    );
    const model = new ScriptedModel((prompt) => {
      if (estimateTokens(prompt) > 5_000) throw new ContextOverflowError("too long");
      return replies.shift()!;
    });
    const files = VirtualFilesystem.inMemory();
    const graph = createAgent({
      model,
      tools: [],
      middleware: [contextMiddleware({ files, contextWindow: 200_000, summaryModel: "none", fileTools: [] })],
      responseFormat: toolStrategy(z.object({ value: z.number() }).meta({ title: "answer" })),
      version,
      checkpointer: new MemorySaver(),
    });
    const { structuredResponse, messages } = await graph.invoke(
      { messages: handedOver(20, 400) },
      inThread("t"),
    );
    expect(structuredResponse).toEqual({ value: 7 });
    const [answer, refusal] = model.prompts.at(-1)!.slice(-2);
    expect(answer?.id).toBe("reply0");
    expect(refusal).toMatchObject({ tool_call_id: "call0", content: expect.stringContaining("number") });
    expect(messages.slice(-5).map(({ type }) => type)).toEqual(["ai", "tool", "ai", "tool", "ai"]);
    expect(estimateTokens(messages)).toBeLessThan(5_000);
  });

  it("uses contextWindow if it is given, whatever the profile says", async () => {
    const played = await read({ version, agentWindow: 200_000, contextWindow: 12_000, pages: 30 });
    expect(Math.max(...sizes(played.prompts))).toBeLessThan(12_000);
  });
});

it("uses the window of the model that another middleware switches to during a run", async () => {
  const large = readingJob({ pages: 44, lines: 80, contextWindow: 200_000 });
  const small = readingJob({ pages: 44, lines: 80, contextWindow: 16_000 });
  const switching = createMiddleware({
    name: "Switching",
    wrapModelCall: (request, handler) =>
      handler({ ...request, model: large.model.prompts.length < 22 ? request.model : small.model }),
  });
  const graph = createAgent({
    model: large.model,
    tools: large.tools,
    middleware: [switching, contextMiddleware({ files: VirtualFilesystem.inMemory(), summaryModel: "none" })],
    checkpointer: new MemorySaver(),
  });
  await graph.invoke({ messages: [large.ask("atlas")] }, inThread("t"));
  expect(Math.max(...sizes(large.model.prompts))).toBeGreaterThan(16_000);
  expect(small.model.prompts.length).toBeGreaterThan(20);
  expect(Math.max(...sizes(small.model.prompts))).toBeLessThan(16_000);
});

it("throws for an agent with an unknown window at the first model call, before the call costs anything", async () => {
  const model = new ScriptedModel(() => new AIMessage("Seven."));
  const middleware = [contextMiddleware({ files: VirtualFilesystem.inMemory() })];
  const graph = createAgent({ model, tools: [], middleware });
  await expect(graph.invoke({ messages: [new HumanMessage("Go")] }, inThread("t"))).rejects.toThrow(
    /unknown context window: pass contextWindow \(tokens\).*model whose profile has maxInputTokens/,
  );
  expect(model.prompts).toEqual([]);
});

it("compacts at the same step whatever the window of the summarizer", async () => {
  const window = fc.integer({ min: 8_000, max: 24_000 });
  const other = fc.integer({ min: 4_000, max: 1_000_000 });
  await fc.assert(
    fc.asyncProperty(window, other, other, async (agentWindow, one, another) => {
      const runs = [one, another].map((summaryWindow) =>
        read({ agentWindow, pages: 26, summaryModel: summarizer(summaryWindow) }),
      );
      const [first, second] = (await Promise.all(runs)).map(({ compactions }) => compactions[0]);
      expect(first).toMatchObject({ reason: "trigger" });
      expect(second).toMatchObject({ tokensBefore: first?.tokensBefore });
    }),
    { numRuns: 3 },
  );
});

it("keeps the earlier window if the options cannot work with that of a model that is switched to", () => {
  const keep = { tokens: 20_000 };
  const options = agentOptions({ files: VirtualFilesystem.inMemory(), keep }, resolveOptions);
  const small = { profile: { maxInputTokens: 16_000 } };
  expect(() => options.of(small, undefined, {})).toThrow("keep is 20000 tokens");
  expect(options.of(small, { contextWindow: 64_000 }, {}).contextWindow).toBe(64_000);
  expect(options.of({ bound: { profile: { maxInputTokens: 32_000 } } }, undefined, {}).contextWindow).toBe(
    32_000,
  );
});
