import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../../context-event.js";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { predictiveContextNode } from "../predictive-context-node.js";
import type { PredictiveContextOptions } from "../predictive-options.js";

const budget = 3_000;
const config = { configurable: { thread_id: "t" } };
const policy = "pace" as const;

interface PlayOptions {
  readonly steps: number;
  readonly node: ReturnType<typeof predictiveContextNode>;
  readonly result?: (step: number) => string;
  readonly before?: readonly BaseMessage[];
  readonly from?: number;
  readonly onStep?: (messages: readonly BaseMessage[], step: number) => unknown;
}

/** Runs the node after each step; returns the last context. */
async function play({ steps, node, result = (step) => filler(200, step), from = 0, ...rest }: PlayOptions) {
  const all = history({ steps, result });
  let messages: readonly BaseMessage[] = rest.before ?? all.slice(0, 1);
  for (let step = from; step < steps; step++) {
    const next = [...messages, ...all.slice(1 + 2 * step, 3 + 2 * step)];
    messages = messagesAfter(await node({ messages: next }, config), next);
    await rest.onStep?.(messages, step);
  }
  return messages;
}

/** Returns the levels in a context by step. Step 0 is the question. */
function levelsIn(messages: readonly BaseMessage[]): ReadonlyMap<number, string> {
  const record = messages.filter((message) => foldOf(message)?.kind === "chunk").map(({ text }) => text);
  const heads = record.join("\n").matchAll(/^\[(\d+)-[0-9a-f]{6}:1, (\w+)\]$/gm);
  return new Map([...heads].map(([, step, level = ""]) => [Number(step), level]));
}

/** Returns steps of which a third, and the newest two, are about the question. The newest two are part of the query. */
const isNear = (step: number) => step % 3 === 0 || step >= 28;

const payments = (step: number) =>
  Array.from({ length: isNear(step) ? 18 : 30 }, (_, line) =>
    isNear(step)
      ? `retry limit of payments in module ${step} row ${line} is ${step * 31 + line}`
      : `zq${step}x${line} vb${step}y${line} xk${step * 97 + line}`,
  ).join("\n");

function paymentsThread(): readonly BaseMessage[] {
  const [, ...steps] = history({ steps: 30, result: payments });
  return [
    new HumanMessage({ id: "q", content: "What is the retry limit of payments in each module?" }),
    ...steps,
  ];
}

function encoder(milliseconds = 0) {
  const seen = { texts: [] as string[], calls: 0, mostTexts: 0 };
  const embedDocuments = async (texts: string[]) => {
    seen.calls++;
    seen.texts.push(...texts);
    seen.mostTexts = Math.max(seen.mostTexts, texts.length);
    await sleep(milliseconds * texts.length);
    return texts.map((text) => [text.length % 7, text.length % 11, 1]);
  };
  return {
    seen,
    embeddings: {
      embedDocuments,
      embedQuery: async (text: string) => (await embedDocuments([text]))[0] ?? [],
    },
  };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

describe("a summary model of PACE", () => {
  it("is called at most a few times in 60 steps while it fails, and one event reports it", async () => {
    let calls = 0;
    const events: ContextEvent[] = [];
    const model = {
      async invoke(): Promise<AIMessage> {
        calls++;
        throw new Error("503");
      },
    };
    const onEvent = (event: ContextEvent) => events.push(event);
    const node = predictiveContextNode({
      files: VirtualFilesystem.inMemory(),
      budget,
      policy,
      model,
      onEvent,
    });
    await play({ steps: 60, node, onStep: () => sleep(2) });
    expect(calls).toBeGreaterThan(1);
    expect(calls).toBeLessThanOrEqual(8);
    expect(events.filter(({ type }) => type === "context.fail")).toEqual([
      expect.objectContaining({ rung: "summary", next: "placeholder" }),
    ]);
  });

  it("writes every past step exactly once after it recovers", async () => {
    let isDown = true;
    let calls = 0;
    const model = {
      async invoke() {
        if (isDown) throw new Error("503");
        calls++;
        return new AIMessage("A summary.");
      },
    };
    const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, policy, model });
    const before = await play({ steps: 20, node, onStep: () => sleep(2) });
    isDown = false;
    await play({ steps: 60, node, before, from: 20, onStep: () => sleep(4) });
    await sleep(200);
    // The question and the newest two steps stay whole; the newest past step may still be in the queue.
    expect(calls).toBeGreaterThanOrEqual(2 * (60 - 2 - 2));
    expect(calls).toBeLessThanOrEqual(2 * 60);
  });

  it("is asked for two forms of a step: all that may matter later, and one or two sentences", async () => {
    const asked: string[] = [];
    const model = {
      async invoke(messages: readonly BaseMessage[]) {
        asked.push(messages.map(({ text }) => text).join("\n"));
        return new AIMessage("A summary.");
      },
    };
    const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, policy, model });
    await play({ steps: 30, node, onStep: () => sleep(2) });
    const ofStep = (title: string) =>
      asked.filter((text) => text.includes(title) && text.includes(filler(200, 5)));
    expect(ofStep("every result, name, path and number that may matter later")).toHaveLength(1);
    expect(ofStep("in one or two sentences")).toHaveLength(1);
  });

  it("is not called for a step as short as its brief form", async () => {
    let calls = 0;
    const model = {
      async invoke() {
        calls++;
        return new AIMessage("A summary.");
      },
    };
    const node = predictiveContextNode({
      files: VirtualFilesystem.inMemory(),
      budget: 900,
      policy,
      model,
      formCharacters: { brief: 400, detailed: 1_000 },
    });
    await play({ steps: 40, node, result: (step) => `Result ${step}.`, onStep: () => sleep(1) });
    await sleep(50);
    expect(calls).toBe(0);
  });
});

describe("an encoder of PACE", () => {
  it("at 30 ms a text never delays a step beyond encoderTimeoutMs, and catches up", async () => {
    const { seen, embeddings } = encoder(30);
    const files = VirtualFilesystem.inMemory();
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const options = { files, budget, policy, embeddings, encoderTimeoutMs: 300, onEvent };
    const node = predictiveContextNode(options);
    const waits: number[] = [];
    let since = performance.now();
    const before = history({ steps: 60, result: (step) => filler(200, step) });
    let messages = messagesAfter(await node({ messages: before }, config), before);
    waits.push(performance.now() - since);
    for (let step = 60; step < 72; step++) {
      await sleep(200);
      const next = [...messages, ...history({ steps: step + 1 }).slice(-2)];
      since = performance.now();
      messages = messagesAfter(await node({ messages: next }, config), next);
      waits.push(performance.now() - since);
    }
    // One call for each text, and one for the query of each step.
    expect(new Set(seen.texts).size).toBe(seen.texts.length);
    expect(seen.texts.length).toBeGreaterThanOrEqual(61 + 13);
    expect(seen.mostTexts).toBeLessThanOrEqual(8);
    expect(Math.max(...waits.slice(1))).toBeLessThan(300 + 250);
    expect(Math.min(...waits.slice(-4))).toBeLessThan(200);
    expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
  });

  it("encodes only the query and the new step after a restart", async () => {
    const first = encoder();
    const options = { files: VirtualFilesystem.inMemory(), budget, policy };
    const before = await play({
      steps: 60,
      node: predictiveContextNode({ ...options, embeddings: first.embeddings }),
      onStep: () => sleep(1),
    });
    await sleep(100);
    const second = encoder();
    const node = predictiveContextNode({ ...options, embeddings: second.embeddings });
    await play({ steps: 61, node, before, from: 60 });
    await sleep(50);
    expect(first.seen.texts.length).toBeGreaterThan(60);
    expect(second.seen.texts).toHaveLength(2);
  });

  it("does not read the vectors of an encoder with another name", async () => {
    const options = { files: VirtualFilesystem.inMemory(), budget, policy };
    const before = await play({
      steps: 40,
      node: predictiveContextNode({ ...options, embeddings: encoder().embeddings, encoderId: "one" }),
    });
    await sleep(50);
    const { seen, embeddings } = encoder();
    await play({
      steps: 41,
      node: predictiveContextNode({ ...options, embeddings, encoderId: "other" }),
      before,
      from: 40,
    });
    await sleep(50);
    expect(seen.texts.length).toBeGreaterThan(40);
  });

  it("stops waiting when the run is aborted, and lets the abort pass", async () => {
    const controller = new AbortController();
    const embeddings = {
      embedDocuments: async () => new Promise<number[][]>(() => undefined),
      embedQuery: async () => [1],
    };
    const files = VirtualFilesystem.inMemory();
    const node = predictiveContextNode({ files, budget, policy, embeddings, encoderTimeoutMs: 60_000 });
    const messages = history({ steps: 60, result: (step) => filler(200, step) });
    const running = node({ messages }, { ...config, signal: controller.signal });
    setTimeout(() => controller.abort(new Error("stopped by the user")), 50);
    await expect(running).rejects.toThrow("stopped by the user");
  });

  it("is called again after ever more selections while it is down, and one event reports it", async () => {
    let calls = 0;
    const events: ContextEvent[] = [];
    const embedDocuments = async (): Promise<number[][]> => {
      calls++;
      throw new Error("connection refused");
    };
    const node = predictiveContextNode({
      files: VirtualFilesystem.inMemory(),
      budget,
      policy,
      embeddings: { embedDocuments, embedQuery: async () => [1] },
      onEvent: (event) => events.push(event),
    });
    await play({ steps: 60, node });
    expect(calls).toBeGreaterThan(1);
    expect(calls).toBeLessThanOrEqual(8);
    expect(events.filter(({ type }) => type === "context.fail")).toHaveLength(1);
  });
});

describe("the first selection of PACE, before any summary exists", () => {
  const slow = { invoke: async () => new Promise<AIMessage>(() => undefined) };

  it("gives the budget to the heaviest steps, and fills it", async () => {
    const controller = new AbortController();
    const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, policy, model: slow });
    const messages = paymentsThread();
    const after = messagesAfter(await node({ messages }, { ...config, signal: controller.signal }), messages);
    controller.abort();
    const shown = [...levelsIn(after).keys()].map((step) => step - 1);
    expect(shown.length).toBeGreaterThan(2);
    // Steps about the question come before all others.
    const near = shown.filter(isNear).length;
    expect(Math.min(10 - near, shown.length - near)).toBe(0);
    // Measured by the token counter, not as four characters a token.
    expect(estimateTokens(after)).toBeLessThanOrEqual(budget);
    expect(estimateTokens(after)).toBeGreaterThan(0.85 * budget);
  });

  it("depends on the newest question of the user as well as on the first", async () => {
    const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, policy });
    const [, ...steps] = paymentsThread();
    const messages = [
      new HumanMessage({ id: "q", content: "Look at everything." }),
      ...steps,
      new AIMessage({ id: "done", content: "Done." }),
      new HumanMessage({ id: "then", content: "And what is the retry limit of payments in each module?" }),
      new AIMessage({ id: "x", content: "", tool_calls: [{ id: "cx", name: "search", args: { step: 99 } }] }),
      new ToolMessage({ id: "rx", name: "search", content: "nothing", tool_call_id: "cx" }),
      new AIMessage({ id: "y", content: "", tool_calls: [{ id: "cy", name: "search", args: { step: 98 } }] }),
      new ToolMessage({ id: "ry", name: "search", content: "nothing", tool_call_id: "cy" }),
    ];
    const after = messagesAfter(await node({ messages }, config), messages);
    const shares = [true, false].map((near) => {
      const levels = [...levelsIn(after)].filter(([step]) => step <= 30 && isNear(step - 1) === near);
      return levels.length / (near ? 12 : 18);
    });
    expect(shares[0]).toBeGreaterThan(shares[1] ?? 1);
    expect(shares[0]).toBe(1);
  });
});

describe("options of PACE", () => {
  const near = "retry limit of payments";
  const result = (step: number) =>
    `${step % 4 === 0 ? `${near} in module ${step}\n` : ""}${filler(60 + 40 * (step % 5), step)}`;
  const messages = [
    new HumanMessage({ id: "q", content: `Find the ${near}.` }),
    ...history({ steps: 30, result }).slice(1),
  ];
  const base = { budget: 4_000, policy } as const;

  async function contextWith(options: Partial<PredictiveContextOptions>): Promise<string> {
    const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), ...base, ...options });
    const after = messagesAfter(await node({ messages }, config), messages);
    return after.map(({ text }) => text).join("\n");
  }

  const changed: Readonly<Record<string, Partial<PredictiveContextOptions>>> = {
    "maxSteps, T_max": { budget: 100_000, from: "start", maxSteps: 10_000 },
    "temperature, tau": { temperature: 0.02 },
    "pressureGain, lambda": { pressureGain: 2, budget: 8_000 },
    "thresholds, alpha": { budget: 8_000, thresholds: { brief: 0.95, detailed: 0.95, full: 1.5 } },
    "thresholds, beta": { budget: 8_000, thresholds: { brief: 0.4, detailed: 0.4, full: 1.5 } },
    "thresholds, gamma": { budget: 8_000, thresholds: { brief: 0.4, detailed: 0.8, full: 0.8 } },
    "wholeSteps, N": { wholeSteps: 4 },
    "encodedCharacters, L_max": { encodedCharacters: 40 },
    formCharacters: { budget: 8_000, formCharacters: { brief: 100, detailed: 400 } },
    candidateSteps: { candidateSteps: 10 },
    budget: { budget: 2_000 },
    embeddings: { embeddings: encoder().embeddings },
  };
  const bases: Readonly<Record<string, Partial<PredictiveContextOptions>>> = {
    "maxSteps, T_max": { budget: 100_000, from: "start", maxSteps: 10 },
    "pressureGain, lambda": { budget: 8_000 },
    "thresholds, alpha": { budget: 8_000 },
    "thresholds, beta": { budget: 8_000 },
    "thresholds, gamma": { budget: 8_000 },
    formCharacters: { budget: 8_000 },
  };

  it.each(Object.entries(changed))("%s changes the context", async (name, options) => {
    expect(await contextWith({ from: "start", ...options })).not.toBe(
      await contextWith({ from: "start", ...bases[name] }),
    );
  });

  it("encoderBatch limits the texts of one encoder call", async () => {
    const most: number[] = [];
    for (const encoderBatch of [3, 30]) {
      const { seen, embeddings } = encoder();
      await contextWith({ embeddings, encoderBatch });
      most.push(seen.mostTexts);
    }
    expect(most).toEqual([3, 30]);
  });

  it("encoderTimeoutMs limits how long a step waits for an encoder that never answers", async () => {
    const embeddings = {
      embedDocuments: async () => new Promise<number[][]>(() => undefined),
      embedQuery: async () => [1],
    };
    const since = performance.now();
    await contextWith({ embeddings, encoderTimeoutMs: 40 });
    const short = performance.now() - since;
    await contextWith({ embeddings, encoderTimeoutMs: 640 });
    expect(performance.now() - since - short).toBeGreaterThan(short + 300);
  });

  it("summaryConcurrency limits the concurrent calls, and limits.summaryMs the time of each", async () => {
    const most: number[] = [];
    for (const summaryConcurrency of [1, 4]) {
      let open = 0;
      let largest = 0;
      const invoke = async () => {
        largest = Math.max(largest, ++open);
        await sleep(2);
        open--;
        return new AIMessage("A summary.");
      };
      await contextWith({ model: { invoke }, summaryConcurrency });
      await sleep(60);
      most.push(largest);
    }
    expect(most).toEqual([1, 4]);
    const events: ContextEvent[] = [];
    const slow = { invoke: async () => new Promise<AIMessage>(() => undefined) };
    await contextWith({ model: slow, limits: { summaryMs: 20 }, onEvent: (event) => events.push(event) });
    await expect.poll(() => events.filter(({ type }) => type === "context.fail").length).toBe(1);
  });

  it('from: "start" selects even under the budget, as soon as a step can be left out', async () => {
    const options = { files: VirtualFilesystem.inMemory(), budget: 100_000, policy, from: "start" } as const;
    const firsts: number[] = [];
    await play({
      steps: 8,
      node: predictiveContextNode(options),
      onStep: (after, step) => {
        if (after.some((message) => foldOf(message)?.kind === "chunk")) firsts.push(step);
      },
    });
    expect(firsts).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it.each([
    [{ temperature: 0 }, "temperature is 0"],
    [{ pressureGain: -1 }, "pressureGain is -1"],
    [{ maxSteps: Number.NaN }, "maxSteps is NaN"],
    [{ encodedCharacters: 0.5 }, "encodedCharacters is 0.5: use a whole number above 0"],
    [{ encoderBatch: 0 }, "encoderBatch is 0"],
    [{ candidateSteps: -4 }, "candidateSteps is -4"],
    [{ summaryConcurrency: 1.5 }, "summaryConcurrency is 1.5"],
    [{ wholeSteps: 0 }, "wholeSteps is 0"],
    [{ thresholds: { brief: 1, detailed: 0.8, full: 1.5 } }, "brief <= detailed <= full"],
    [{ formCharacters: { brief: 900, detailed: 800 } }, "brief <= detailed"],
    [{ from: "now" as never }, 'from is "now": use "start" or "budget"'],
    [{ encoderId: "" }, 'encoderId is ""'],
    [{ embeddings: {} as never }, "embeddings is object: use an encoder of LangChain"],
    [{ lambda: 1 } as never, "lambda is not an option of predictiveContextNode: it takes files, budget"],
  ] as const)("%o is refused when the node is built", (options, message) => {
    const files = VirtualFilesystem.inMemory();
    expect(() => predictiveContextNode({ files, budget, policy, ...(options as object) })).toThrow(message);
  });
});

it(
  "PACE reads the text of no past step again: at step 1,000 it takes far less than four times as long as at step 300",
  {
    // Three tries: the speed of the machine may change during a play.
    retry: 2,
  },
  async () => {
    const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, policy });
    const times: number[] = [];
    let since = process.cpuUsage();
    await play({
      steps: 1_000,
      node,
      result: (step) => filler(60, step),
      onStep: () => {
        const { user, system } = process.cpuUsage(since);
        times.push(user + system);
        since = process.cpuUsage();
      },
    });
    // Other work on the machine makes steps longer, never shorter: compare the quick ones.
    const quick = (to: number) => times.slice(to - 100, to).toSorted((a, b) => a - b)[10] ?? 0;
    // A selection that reads the text of every past step takes more than four times as long.
    expect(quick(1_000)).toBeLessThan(3.5 * quick(300));
  },
);
