import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ContextError, copyMessage, estimateTokens, type Prices } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { compactionCondition } from "../../conditions/compaction-condition.js";
import type { ContextEvent } from "../../context-event.js";
import type { ContextOptions, PlannerOptions } from "../../options/context-options.js";
import type { CompactionState } from "../../run/context-state.js";
import type { NodeState } from "../../run/node-state.js";
import { resolveOptions } from "../../options/resolve-options.js";
import type { NodeConfig } from "../../run-config.js";
import { compactionNode } from "../../nodes/compaction-node.js";
import type { GraphNode } from "../../nodes/step-node.js";
import { agentGraph, inThread } from "../../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { readingJob } from "../../testing/reading-job.js";
import { unfolded } from "../../testing/storage.js";
import { previewCompaction } from "../../threads/preview-compaction.js";

const prices: Prices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };
const contextWindow = 60_000;
const config = inThread("t");

type Compaction = Extract<ContextEvent, { type: "context.compaction" }>;

/** Reads a book with the node in the graph; the window is far larger than what is read. */
async function read(options: Partial<ContextOptions>) {
  const files = VirtualFilesystem.inMemory();
  const compactions: Compaction[] = [];
  const job = readingJob({ pages: 50, lines: 30 });
  const onEvent = (event: ContextEvent) => {
    if (event.type === "context.compaction") compactions.push(event);
  };
  const keep = { tokens: 1_500 };
  const compact = compactionNode({ contextWindow, keep, ...options, files, onEvent });
  const graph = agentGraph({ model: job.model, tools: job.tools, compact });
  const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, config);
  return { files, compactions, messages, prompts: job.model.prompts, thread: job.thread("atlas") };
}

const plannedRun = read({ planner: { prices } });

/** What a provider with a cache of prefixes would charge for the prompts. */
function billOf(prompts: readonly (readonly BaseMessage[])[]): number {
  return prompts.reduce((sum, prompt, at) => {
    const before = prompts[at - 1] ?? [];
    const differs = prompt.findIndex((message, index) => message.text !== before[index]?.text);
    const cached = estimateTokens(differs < 0 ? prompt : prompt.slice(0, differs));
    return sum + prices.cachedInput * cached + 1.25 * (estimateTokens(prompt) - cached);
  }, 0);
}

it("folds below the trigger if that lowers the bill, and unfolds everything", async () => {
  const [without, planned] = [await read({}), await plannedRun];
  expect(new Set(without.compactions.map(({ reason }) => reason))).not.toContain("planned");
  expect(new Set(planned.compactions.map(({ reason }) => reason))).toEqual(new Set(["planned"]));
  expect(planned.compactions.length).toBeGreaterThan(1);
  expect(billOf(planned.prompts)).toBeLessThan(0.9 * billOf(without.prompts));
  expect(await unfolded(planned.messages, planned.files, "t")).toEqual(planned.thread);
});

it("reports what each compaction costs, and what the one before it has saved", async () => {
  const { compactions, prompts } = await plannedRun;
  const bills = compactions.map(({ bill }) => bill);
  for (const [index, bill] of bills.entries()) {
    const { tokensBefore = 0, tokensAfter = 0 } = compactions[index] ?? {};
    expect(bill?.savedTokens).toBe(tokensBefore - tokensAfter);
    expect(bill?.savingPerStep).toBeCloseTo((0.1 * (tokensBefore - tokensAfter)) / 1e6, 12);
    expect(bill?.rewrittenTokens).toBeLessThanOrEqual(tokensAfter);
    expect(bill?.summaryCost).toBe(0);
  }
  const [first, ...later] = bills;
  expect(first?.last).toBeUndefined();
  const steps = later.map((bill) => bill?.last?.steps ?? 0);
  expect(steps.reduce((sum, one) => sum + one, 0)).toBeLessThan(prompts.length);
  for (const [index, bill] of later.entries()) {
    const before = bills[index];
    expect(bill?.last?.steps).toBeGreaterThan(1);
    expect(bill?.last?.cost).toBe(before?.cost);
    expect(bill?.last?.saved).toBeCloseTo((bill?.last?.steps ?? 0) * (before?.savingPerStep ?? 0), 12);
    // That is what it was made for.
    expect(bill?.last?.saved).toBeGreaterThan(bill?.last?.cost ?? 0);
  }
});

it("does nothing below the trigger if that would not lower the bill", async () => {
  const files = VirtualFilesystem.inMemory();
  const planner = { prices: { ...prices, cachedInput: 0 } };
  const messages = history({ steps: 40, result: (step) => filler(300, step) });
  expect(await compactionNode({ files, contextWindow, planner })({ messages }, config)).toEqual({});
});

it("gives the same answer in the node, the condition and the preview", async () => {
  const files = VirtualFilesystem.inMemory();
  const options = { files, contextWindow, keep: { tokens: 1_500 }, planner: { prices } };
  const needsCompaction = compactionCondition(options);
  const node = compactionNode(options);
  const routes = new Set<string>();
  for (const steps of [2, 10, 20, 30, 40]) {
    const messages = history({ steps, result: (step) => filler(300, step) });
    const route = needsCompaction({ messages });
    routes.add(route);
    const changed = messagesAfter(await node({ messages }, config), messages) !== messages;
    expect(changed).toBe(route === "compact");
    const { due } = await previewCompaction(messages, options);
    expect(due).toBe(route === "compact" ? "planned" : undefined);
  }
  expect(routes).toEqual(new Set(["model", "compact"]));
});

/** A short context: hot, it would not be worth a compaction. */
const short = history({ steps: 8, result: (step) => filler(300, step) });

function idle(seconds: number, state: NodeState, options: { readonly cacheSeconds?: number } = {}) {
  const files = VirtualFilesystem.inMemory();
  const planner = { prices, cacheSeconds: 300, ...options, now: () => 1_000_000_000_000 + seconds * 1_000 };
  return compactionNode({ files, contextWindow, keep: { tokens: 600 }, planner })(state, config);
}

it("compacts once the cache has expired, by the time that the node noted", async () => {
  const before = { messages: short.slice(0, -2), compaction: {} };
  const noted = await idle(0, before);
  expect(noted).toEqual({ compaction: { lastCall: { at: 1_000_000_000_000, after: "result-6" } } });
  const state = { messages: short, compaction: noted["compaction"] as CompactionState };
  expect(messagesAfter(await idle(299, state), short)).toBe(short);
  expect(messagesAfter(await idle(300, state), short)).not.toBe(short);
  // A time that was noted before another call than the newest tells nothing.
  const older = { messages: short, compaction: { lastCall: { at: 0, after: "result-2" } } };
  expect(messagesAfter(await idle(10_000, older), short)).toBe(short);
});

it("uses the time in the message if the provider sends one, and then notes nothing", async () => {
  const told = short.map((message) =>
    message instanceof AIMessage
      ? copyMessage(message, { response_metadata: { created_at: 1_000_000_000 } })
      : message,
  );
  expect(await idle(299, { messages: told, compaction: {} })).toEqual({});
  expect(messagesAfter(await idle(300, { messages: told, compaction: {} }), told)).not.toBe(told);
});

function make() {
  return compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow,
    keep: { tokens: 1_500 },
    planner: { prices },
  });
}

it("keeps nothing between steps except in the state", async () => {
  const one = make();
  for (const thread of ["a", "b"]) {
    const empty: Kept = { messages: [], compaction: {} };
    let [shared, fresh] = [empty, empty];
    const grown = (state: Kept, message: BaseMessage) => ({
      ...state,
      messages: [...state.messages, message],
    });
    for (const message of history({ steps: 40, result: (step) => filler(300, step) })) {
      shared = await next(one, grown(shared, message), inThread(thread));
      fresh = await next(make(), grown(fresh, message), inThread(thread));
    }
    expect(shared.compaction).toEqual(fresh.compaction);
    expect(shared.compaction.planner?.steps).toBeGreaterThan(20);
    const texts = [shared, fresh].map(({ messages }) => messages.map(({ text }) => text));
    expect(texts[0]).toEqual(texts[1]);
  }
});

interface Kept {
  readonly messages: readonly BaseMessage[];
  readonly compaction: CompactionState;
}

/** Returns the state after a message came in and the node has run. */
async function next(node: GraphNode, { messages, compaction }: Kept, config: NodeConfig): Promise<Kept> {
  const update = await node({ messages, compaction }, config);
  return {
    messages: messagesAfter(update, messages),
    compaction: { ...compaction, ...(update["compaction"] as CompactionState | undefined) },
  };
}

it("includes the cost of the summary call", async () => {
  const messages = history({ steps: 80, result: (step) => filler(300, step) });
  const bills: number[] = [];
  const onEvent = (event: ContextEvent) => {
    if (event.type === "context.compaction") bills.push(event.bill?.summaryCost ?? 0);
  };
  const model = { invoke: async () => new AIMessage("## Findings\n- A row holds a number") };
  const options = { files: VirtualFilesystem.inMemory(), contextWindow, keep: { tokens: 1_500 }, onEvent };
  const planned = async (remainingSteps: number, writer: Pick<ContextOptions, "model">) => {
    const planner = { prices, remainingSteps };
    const after = await compactionNode({ ...options, ...writer, planner })({ messages }, config);
    return messagesAfter(after, messages) !== messages;
  };
  expect(await planned(1_000, { model })).toBe(true);
  expect(bills[0]).toBeGreaterThan(0);
  // So few steps save less than the call and reading all of it anew cost.
  expect(await planned(15, { model })).toBe(false);
});

it('uses typical prices with cache: "typical", and given prices if there are both', () => {
  const options = { files: VirtualFilesystem.inMemory(), contextWindow };
  const pricesOf = (planner: PlannerOptions) => resolveOptions({ ...options, planner }).planner?.prices;
  expect(pricesOf({ cache: "typical" })).toEqual({ input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 });
  expect(pricesOf({ cache: "typical", prices: { ...prices, input: 2 } })).toEqual({ ...prices, input: 2 });
});

it("refuses invalid prices and times when the node is built", () => {
  const files = VirtualFilesystem.inMemory();
  const wrong = [
    { prices: { ...prices, input: -1 } },
    { prices: { ...prices, cachedInput: 2 } },
    {},
    { cache: "unusual" as "typical" },
    { prices, cacheSeconds: 0 },
    { prices, rereadTokens: -1 },
    { prices, remainingSteps: Number.NaN },
  ];
  for (const planner of wrong) {
    expect(() => compactionNode({ files, contextWindow, planner })).toThrow(ContextError);
  }
});

it("decides once for each step, and again when the same list has grown", async () => {
  const asked: number[] = [];
  const remainingSteps = (messages: readonly BaseMessage[]) => {
    asked.push(messages.length);
    return 1;
  };
  const files = VirtualFilesystem.inMemory();
  const keep = { tokens: 1_500 };
  const node = compactionNode({ files, contextWindow, keep, planner: { prices, remainingSteps } });
  const messages = history({ steps: 12, result: (step) => filler(200, step) });
  await node({ messages }, config);
  messages.push(...history({ steps: 1, result: (step) => filler(200, step + 50) }));
  await node({ messages }, config);
  expect(asked).toEqual([messages.length - 3, messages.length]);
});

it("is asked only where something is beyond the keep", async () => {
  let asked = 0;
  const remainingSteps = () => ++asked;
  const files = VirtualFilesystem.inMemory();
  const messages = history({ steps: 12, result: (step) => filler(200, step) });
  const tokens = estimateTokens(messages);
  const options = { files, contextWindow, planner: { prices, remainingSteps } };
  await compactionNode({ ...options, keep: { tokens } })({ messages }, config);
  expect(asked).toBe(0);
  await compactionNode({ ...options, keep: { tokens: tokens - 1 } })({ messages }, config);
  expect(asked).toBe(1);
});
