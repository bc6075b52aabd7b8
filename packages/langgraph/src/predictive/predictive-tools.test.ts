import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { compressContextTool } from "../tools/compress-context-tool.js";
import { explainContext } from "./explain-context.js";
import { glimpseTool } from "./glimpse-tool.js";
import { predictiveContextMiddleware } from "./predictive-context-middleware.js";
import { predictiveContextNode } from "./predictive-context-node.js";

const budget = 6_000;
const config = { configurable: { thread_id: "t" } };

async function folded() {
  const files = VirtualFilesystem.inMemory();
  const messages = history({ steps: 60, result: (step) => filler(300, step) });
  const after = messagesAfter(await predictiveContextNode({ files, budget })({ messages }, config), messages);
  return { files, messages, after };
}

async function glimpses(steps: readonly string[]) {
  const { files, after } = await folded();
  const calls = steps.map((step, at) => ({ id: `g${at}`, name: "glimpse", args: { step } }));
  const state = { messages: [...after, new AIMessage({ id: "asks", content: "", tool_calls: calls })] };
  const result = (await new ToolNode([glimpseTool({ files })]).invoke(state, config)) as {
    messages: BaseMessage[];
  };
  return result.messages.map(({ text }) => text);
}

describe("glimpse", () => {
  it("shows a step as it was, by its number or by the name in an excerpt", async () => {
    const [byNumber = ""] = await glimpses(["7"]);
    expect(byNumber).toContain(filler(300, 6));
    const name = /steps\/(7-[0-9a-f]{6})\.md/.exec(byNumber)?.[1] ?? "";
    expect((await glimpses([`${name}:12`]))[0]).toBe(byNumber);
  });

  it("answers three calls in one step and refuses the fourth", async () => {
    const texts = await glimpses(["1", "2", "3", "4"]);
    expect(texts.map((text) => text.startsWith("Error: 3 glimpses"))).toEqual([false, false, false, true]);
  });

  it("says that a step does not exist", async () => {
    expect((await glimpses(["9999"]))[0]).toContain("Error: no step 9999");
  });
});

it("a request of compress_context, which changes nothing here, is told of once", async () => {
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const node = predictiveContextNode({ files, budget, onEvent: (event) => void events.push(event) });
  const compress = compressContextTool({ files, contextWindow: 1_000 });
  const call = { id: "c", name: "compress_context", args: { reason: "The task is done." } };
  const asked = [
    ...history({ steps: 20, result: (step) => filler(300, step) }),
    new AIMessage({ id: "asks", content: "", tool_calls: [call] }),
  ];
  const state = { messages: asked, compaction: {} };
  const { messages: results } = (await new ToolNode([compress]).invoke(state, config)) as typeof state;
  const after = messagesAfter(await node({ ...state, messages: [...asked, ...results] }, config), asked);
  await node(
    { ...state, messages: [...after, new AIMessage({ id: "goes-on", content: "Then on." })] },
    config,
  );
  const refused = events.filter((event) => event.type === "context.skip" && event.due === "agent");
  expect(refused).toMatchObject([{ reason: "nothing-to-fold" }]);
});

describe("explainContext", () => {
  it("says how every step is shown, and why", async () => {
    const { files, after } = await folded();
    const graph = { getState: async () => ({ values: { messages: after } }) };
    const explained = await explainContext(graph, config, { files, budget });
    expect(explained).toHaveLength(61);
    expect(explained[0]).toMatchObject({ level: "whole", reason: "It is the first message of the user." });
    expect(explained.at(-1)).toMatchObject({ level: "whole", reason: "It is one of the newest steps." });
    expect(new Set(explained.map(({ level }) => level))).toEqual(new Set(["whole", "excerpt", "archived"]));
    expect(explained.every(({ reason }) => reason.endsWith("."))).toBe(true);
  });
});

describe("explainContext after a compaction of the provider", () => {
  it.each(["reuse", "pace"] as const)(
    "names the compaction, and counts the steps after it: %s",
    async (policy) => {
      const files = VirtualFilesystem.inMemory();
      const block = { type: "compaction", content: "The user asked for 60 files." };
      const covered = [
        new HumanMessage({ id: "first", content: "Begin" }),
        new AIMessage({ id: "n", content: [block] }),
      ];
      const messages = [...covered, ...history({ steps: 60, result: (step) => filler(300, step) })];
      const node = predictiveContextNode({ files, budget, policy });
      const after = messagesAfter(await node({ messages }, config), messages);
      const graph = { getState: async () => ({ values: { messages: after } }) };
      const [compaction, ...steps] = await explainContext(graph, config, { files, budget, policy });
      expect(compaction).toMatchObject({ step: -1, level: "native", title: "The user asked for 60 files." });
      expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: 61 }, (_, step) => step));
      const shown = steps.filter(({ level }) => level === "whole");
      expect(shown.length).toBeGreaterThan(1);
      expect(shown.length).toBeLessThan(steps.length);
    },
  );
});

describe("explainContext after a selection by PACE", () => {
  const texts: string[] = [];
  const embedDocuments = async (all: string[]) => {
    texts.push(...all);
    return all.map((text) => [1, text.includes("of 7 ") ? 2 : 0.1, text.length / 4_000]);
  };
  const embeddings = { embedDocuments, embedQuery: async () => [1, 0, 0] };

  async function explained() {
    const options = { files: VirtualFilesystem.inMemory(), budget, policy: "pace", embeddings } as const;
    const messages = history({ steps: 60, result: (step) => filler(300, step) });
    const node = predictiveContextNode(options);
    const [first, second] = [messages.slice(0, 119), messages.slice(119)];
    const standing = [...messagesAfter(await node({ messages: first }, config), first), ...second];
    const after = messagesAfter(await node({ messages: standing }, config), standing);
    const before = texts.length;
    const graph = { getState: async () => ({ values: { messages: after } }) };
    const steps = await explainContext(graph, config, options);
    return { after, steps, encoded: texts.length - before };
  }

  it("returns weight, pressure and thresholds of each step with a level", async () => {
    const { steps, encoded } = await explained();
    expect(encoded).toBe(1);
    expect(steps).toHaveLength(61);
    expect(steps[0]).toMatchObject({ level: "whole", reason: "It is the first message of the user." });
    expect(steps.at(-1)).toMatchObject({ level: "whole" });
    const rated = steps.flatMap((step) => (step.pace === undefined ? [] : [{ ...step, pace: step.pace }]));
    expect(rated).toHaveLength(58);
    const mean = rated.reduce((sum, { pace }) => sum + pace.weight, 0) / rated.length;
    expect(mean).toBeCloseTo(1, 6);
    expect(rated[0]?.reason).toMatch(
      /^Its weight is \d\.\d\d \(1 is the average\)\. At pressure \d\.\d\d a step is brief/,
    );
    expect(rated.every(({ pace }) => pace.pressure > 0 && pace.pressure <= 1)).toBe(true);
    expect(rated.every(({ pace }) => pace.thresholds.brief >= 0.4 * (1 + 0.5 * pace.pressure) - 1e-9)).toBe(
      true,
    );
  });

  it("returns the levels in the context, with the reason of each", async () => {
    const { after, steps } = await explained();
    const heads = after
      .flatMap(({ text }) => [...text.matchAll(/^\[(\d+)-[0-9a-f]{6}:1, (\w+)\]$/gm)])
      .map(([, step, level]) => `${step} ${level}`);
    const shown = steps.filter(({ level }) => ["full", "detailed", "brief"].includes(level));
    expect(heads.length).toBeGreaterThan(0);
    expect(shown.map(({ step, level }) => `${step} ${level}`)).toEqual(heads);
    const unexplained = steps.filter(({ pace, level, reason }) => {
      if (pace === undefined) return reason === "";
      const { brief, detailed, full } = pace.thresholds;
      const ranks = ["placeholder", "brief", "detailed", "full"];
      const weighed = [brief, detailed, full].filter((threshold) => pace.weight > threshold).length;
      return ranks.indexOf(level) !== weighed && !reason.includes(`It is ${level}:`);
    });
    expect(unexplained).toEqual([]);
  });
});

describe("an unreliable encoder", () => {
  const broken = {
    "is down": async () => Promise.reject(new Error("connection refused")),
    "is slow": async () => new Promise<number[][]>(() => undefined),
    "returns NaN": async (texts: string[]) => texts.map(() => [Number.NaN, 1]),
    "returns vectors of other sizes": async (texts: string[]) =>
      texts.map((_, at) => Array.from({ length: at + 1 }, () => 1)),
    "returns too few": async () => [[1, 0]],
  };

  it.each(Object.entries(broken))(
    "%s: the selection goes by words, and an event says so",
    async (_, embedDocuments) => {
      const events: ContextEvent[] = [];
      const embeddings = { embedDocuments, embedQuery: async () => [1, 0] };
      const files = VirtualFilesystem.inMemory();
      const onEvent = (event: ContextEvent) => events.push(event);
      const node = predictiveContextNode({
        files,
        budget,
        policy: "pace",
        embeddings,
        encoderTimeoutMs: 50,
        onEvent,
      });
      const messages = history({ steps: 40, result: (step) => filler(300, step) });
      const after = messagesAfter(await node({ messages }, config), messages);
      expect(estimateTokens(after)).toBeLessThanOrEqual(budget);
      expect(events.filter(({ type }) => type === "context.fail")).toEqual([
        expect.objectContaining({ rung: "encoder", next: "words" }),
      ]);
    },
  );

  it("with zero vectors rates every step the same", async () => {
    const embeddings = {
      embedDocuments: async (texts: string[]) => texts.map(() => [0, 0]),
      embedQuery: async () => [0, 0],
    };
    const node = predictiveContextNode({
      files: VirtualFilesystem.inMemory(),
      budget,
      policy: "pace",
      embeddings,
    });
    const messages = history({ steps: 40, result: (step) => filler(300, step) });
    expect(estimateTokens(messagesAfter(await node({ messages }, config), messages))).toBeLessThanOrEqual(
      budget,
    );
  });
});

describe("summaries of steps", () => {
  it("are written in the background, used once they exist, and read again after a restart", async () => {
    let calls = 0;
    const model = {
      async invoke() {
        calls++;
        return new AIMessage("A summary of the step.");
      },
    };
    const options = { files: VirtualFilesystem.inMemory(), budget, policy: "pace", model } as const;
    const messages = history({ steps: 40, result: (step) => filler(300, step) });
    const node = predictiveContextNode(options);
    const first = messagesAfter(await node({ messages }, config), messages);
    expect(first.some(({ text }) => text.includes("A summary of the step."))).toBe(false);
    await expect.poll(() => calls, { timeout: 60_000 }).toBe(2 * 38);
    const next = [...first, new HumanMessage({ id: "more", content: "Go on." })];
    const second = messagesAfter(await node({ messages: next }, config), next);
    expect(second.some(({ text }) => text.includes("A summary of the step."))).toBe(true);
    await predictiveContextNode(options)({ messages: next }, config);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(calls).toBeLessThan(2 * 42 + 1);
  });

  it("stop when the run is aborted", async () => {
    const controller = new AbortController();
    let calls = 0;
    const model = {
      async invoke() {
        calls++;
        controller.abort();
        throw new Error("aborted");
      },
    };
    const node = predictiveContextNode({
      files: VirtualFilesystem.inMemory(),
      budget,
      policy: "pace",
      model,
    });
    const messages = history({ steps: 40, result: (step) => filler(300, step) });
    await node({ messages }, { ...config, signal: controller.signal }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(calls).toBeLessThanOrEqual(4);
  });
});

it("predictiveContextMiddleware selects the context of a createAgent agent", async () => {
  const job = readingJob({ pages: 30, lines: 30 });
  const files = VirtualFilesystem.inMemory();
  const agent = createAgent({
    model: job.model as never,
    tools: job.tools,
    middleware: [predictiveContextMiddleware({ files, budget, tools: [] })],
  });
  await agent.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
  expect(job.model.prompts).toHaveLength(31);
  expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(budget);
});
