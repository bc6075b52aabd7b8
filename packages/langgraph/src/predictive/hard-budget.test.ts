import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { estimateTokens, foldOf, unfold } from "@palimpsest/context";
import { addedIllegalities, illegalities, messageImage } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, messagesAfter } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { predictiveContextMiddleware } from "./predictive-context-middleware.js";
import { predictiveContextNode } from "./predictive-context-node.js";
import type { PredictiveContextOptions } from "./predictive-options.js";

const config = { configurable: { thread_id: "t" } };
const policies = ["reuse", "pace"] as const;

/** Tokens of each part of a turn. */
interface Turn {
  readonly question: number;
  readonly steps: readonly {
    readonly prose: number;
    readonly input: number;
    readonly results: readonly number[];
  }[];
}

interface Thread {
  readonly budget: number;
  readonly system: number;
  readonly turns: readonly Turn[];
}

/** Returns sizes: most are small; some are 0.3 to 3 budgets, in every role. */
const share = fc.oneof(
  { weight: 12, arbitrary: fc.double({ min: 0.004, max: 0.1, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0.3, max: 3, noNaN: true }) },
);
const threads: fc.Arbitrary<Thread> = fc
  .record({
    budget: fc.integer({ min: 1_000, max: 3_000 }),
    system: fc.option(share, { nil: 0 }),
    turns: fc.array(
      fc.record({
        question: share,
        steps: fc.array(
          fc.record({
            prose: share,
            input: share,
            results: fc.array(share, { minLength: 1, maxLength: 3 }),
          }),
          { maxLength: 12 },
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ budget, system, turns }) => ({
    budget,
    system: Math.ceil(system * budget),
    turns: turns.map(({ question, steps }) => ({
      question: Math.ceil(question * budget),
      steps: steps.map(({ prose, input, results }) => ({
        prose: Math.ceil(prose * budget),
        input: Math.ceil(input * budget),
        results: results.map((result) => Math.ceil(result * budget)),
      })),
    })),
  }));

/** Returns the messages that a thread gains before each model call, in order. */
function arrivals({ system, turns }: Thread): readonly (readonly BaseMessage[])[] {
  let seed = 1;
  const text = (tokens: number) => filler(tokens, seed++);
  const start = system === 0 ? [] : [new SystemMessage({ id: "system", content: text(system) })];
  return turns.flatMap(({ question, steps }, turn) => {
    const asked = new HumanMessage({ id: `human-${turn}`, content: text(question) });
    const made = steps.map(({ prose, input, results }, step) => {
      const name = `${turn}-${step}`;
      const calls = results.map((_, at) => ({
        id: `call-${name}-${at}`,
        name: "write_file",
        args: { path: `/src/${name}-${at}.ts`, content: at === 0 ? text(input) : "x" },
      }));
      const call = new AIMessage({ id: `ai-${name}`, content: text(prose), tool_calls: calls });
      return [
        call,
        ...results.map(
          (tokens, at) =>
            new ToolMessage({
              id: `result-${name}-${at}`,
              name: "write_file",
              tool_call_id: `call-${name}-${at}`,
              content: text(tokens),
            }),
        ),
      ];
    });
    const done = new AIMessage({ id: `done-${turn}`, content: "Done." });
    return [[...(turn === 0 ? start : [done]), asked], ...made];
  });
}

/** Runs a thread through a node, and calls `check` with the thread and the prompt of each model call. */
async function play(
  thread: Thread,
  options: Partial<PredictiveContextOptions>,
  check: (sent: readonly BaseMessage[], past: readonly BaseMessage[]) => void,
) {
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const { budget } = thread;
  const node = predictiveContextNode({ files, budget, onEvent, onError: "throw", ...options });
  const past: BaseMessage[] = [];
  let sent: readonly BaseMessage[] = [];
  for (const arrival of arrivals(thread)) {
    past.push(...arrival);
    if (options.outputKey === undefined) {
      const before = [...sent, ...arrival];
      sent = messagesAfter(await node({ messages: before }, config), before);
    } else {
      const update = await node({ messages: [...past], [options.outputKey]: [...sent] }, config);
      sent = (update as Record<string, BaseMessage[]>)[options.outputKey] ?? [];
    }
    check(sent, past);
  }
  return { sent, past, events, archive: files.thread("t").archive };
}

/** Returns the unseen results that are sent neither whole nor as a preview with a path. */
function missingResults(sent: readonly BaseMessage[], past: readonly BaseMessage[]): readonly BaseMessage[] {
  const unseen = past
    .slice(past.findLastIndex((message) => AIMessage.isInstance(message)) + 1)
    .filter((message) => ToolMessage.isInstance(message));
  const texts = sent.map(({ text }) => text).join("\n");
  return unseen.filter((result) => {
    const same = sent.find(({ id }) => id === result.id);
    if (same !== undefined) return same.text !== result.text && foldOf(same) === undefined;
    return !/\[New result of write_file, .*Full text: \/context\//.test(texts);
  });
}

/** Returns the user messages that are always sent: the first and the newest. */
function words(past: readonly BaseMessage[]): readonly BaseMessage[] {
  const users = past.filter((message) => message.getType() === "human");
  return [...new Set([...users.slice(0, 1), ...users.slice(-1)])];
}

describe.each(policies)("the budget of policy %s", (policy) => {
  it.each(["rewrite", "view"] as const)(
    "holds at every step of every thread, and what is sent is legal, as a %s",
    async (way) => {
      let large = 0;
      await fc.assert(
        fc.asyncProperty(threads, async (thread) => {
          const keys = way === "view" ? { outputKey: "context" } : {};
          const played = await play(thread, { policy, ...keys }, (sent, past) => {
            expect(estimateTokens(sent)).toBeLessThanOrEqual(thread.budget);
            expect(addedIllegalities(past, sent)).toEqual([]);
            expect(missingResults(sent, past)).toEqual([]);
            const ids = new Set(sent.map(({ id }) => id));
            expect(words(past).filter(({ id }) => !ids.has(id))).toEqual([]);
            large += Number(estimateTokens(past) > thread.budget);
          });
          const opened = await unfold(played.sent, (path) => played.archive.readText(path));
          expect(opened.map((message) => messageImage(message))).toEqual(
            played.past.map((message) => messageImage(message)),
          );
        }),
        { numRuns: 25 },
      );
      expect(large).toBeGreaterThan(100);
    },
    120_000,
  );
});

function steps(count: number): Turn["steps"] {
  return Array.from({ length: count }, (_, step) => ({ prose: 12, input: 20, results: [90 + step] }));
}

/** Returns the events about what does not fit. */
function told(events: readonly ContextEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "context.clip") return [`clip ${event.messageId}`];
    return event.type === "context.skip" || event.type === "context.overflow" ? [event.message] : [];
  });
}

function isPinned({ id }: BaseMessage): boolean {
  return id === "result-0-1-0" || id === "result-0-3-0";
}

describe.each(policies)("with policy %s", (policy) => {
  it("an unseen result of three budgets is sent as a preview with its path", async () => {
    const last = { prose: 12, input: 20, results: [9_005] };
    const turns = [{ question: 12, steps: [...steps(30), last] }];
    const { sent, events } = await play({ budget: 3_000, system: 0, turns }, { policy }, noCheck);
    expect(estimateTokens(sent)).toBeLessThanOrEqual(3_000);
    expect(foldOf(sent.at(-1) as BaseMessage)).toMatchObject({ kind: "offload", reason: "predicted" });
    expect(told(events)).toEqual([]);
  });

  it("a new call with an input of three budgets is sent with a pointer in place of the input", async () => {
    const last = { prose: 12, input: 9_000, results: [40] };
    const turns = [{ question: 12, steps: [...steps(30), last] }];
    const { sent, archive, past } = await play({ budget: 3_000, system: 0, turns }, { policy }, noCheck);
    expect(sent.slice(-2).map(({ id }) => id)).toEqual(past.slice(-2).map(({ id }) => id));
    const fold = foldOf(sent.at(-2) as BaseMessage);
    expect(fold).toMatchObject({ kind: "input", reason: "predicted" });
    const { content } = ((past.at(-2) as AIMessage).tool_calls ?? [])[0]?.args ?? {};
    expect(await archive.readText(fold?.path ?? "")).toBe(content);
  });

  it.each([0.3, 0.77, 0.9])("the first user message stays whole at %s of the budget", async (part) => {
    const turns = [{ question: Math.floor(part * 3_000), steps: steps(40) }];
    const { sent, past, events } = await play({ budget: 3_000, system: 0, turns }, { policy }, noCheck);
    expect(sent.find(({ id }) => id === "human-0")?.text).toBe(past[0]?.text);
    expect(estimateTokens(past)).toBeGreaterThan(6_000);
    expect(told(events)).toEqual([]);
  });

  it("a user message over the budget keeps its beginning and its end, and one event reports it", async () => {
    const turns = [{ question: 4_100, steps: steps(40) }];
    const { sent, past, events, archive } = await play(
      { budget: 3_000, system: 0, turns },
      { policy },
      noCheck,
    );
    const short = sent.find(({ id }) => id === "human-0");
    expect(short?.text.startsWith(past[0]?.text.slice(0, 400) ?? "")).toBe(true);
    expect(short?.text.endsWith(past[0]?.text.slice(-400) ?? "")).toBe(true);
    const path = foldOf(short as BaseMessage)?.path ?? "";
    expect(short?.text).toContain(path);
    expect(await archive.readText(path)).toBe(past[0]?.text);
    expect(told(events)).toEqual(["clip human-0"]);
  });

  it("messages that cannot fit do not stop the selection, nor let the history grow", async () => {
    const turns = [
      { question: 2_000, steps: steps(40) },
      { question: 2_000, steps: steps(40) },
    ];
    const sizes: number[] = [];
    const { events } = await play({ budget: 3_000, system: 1_200, turns }, { policy }, (sent) =>
      sizes.push(estimateTokens(sent)),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3_000);
    expect(told(events).length).toBeGreaterThan(0);
    expect(new Set(told(events)).size).toBe(told(events).length);
  });

  it("pinned steps stay whole if they fit, and an event names the one that does not", async () => {
    const turns = [
      { question: 12, steps: [...steps(3), { prose: 9, input: 9, results: [6_000] }, ...steps(40)] },
    ];
    const { sent, past, events } = await play(
      { budget: 3_000, system: 0, turns },
      { policy, pin: isPinned },
      noCheck,
    );
    const whole = past.find(({ id }) => id === "result-0-1-0");
    expect(sent.find(({ id }) => id === whole?.id)?.text).toBe(whole?.text);
    expect(told(events)).toEqual([expect.stringMatching(/^Pinned step 4 takes 6\d\d\d tokens/)]);
  });

  it("a budget below the shortest form of what must be sent is reported once, and only that form is sent", async () => {
    const turns = [{ question: 300, steps: steps(30) }];
    const { sent, events } = await play({ budget: 60, system: 0, turns }, { policy }, noCheck);
    expect(estimateTokens(sent)).toBeLessThan(450);
    const reported = told(events).filter((message) => message.startsWith("The steps that must be sent take"));
    expect(reported).toHaveLength(1);
  });

  it("the budget holds for an agent with the middleware", async () => {
    await fc.assert(
      fc.asyncProperty(threads, async ({ budget, turns }) => {
        const arrived = arrivals({ budget, system: 0, turns: turns.slice(0, 1) });
        const script = arrived.slice(1).map(([call]) => call as AIMessage);
        const model = new ScriptedModel((_, call) => script[call] ?? new AIMessage("Done."));
        const results = new Map(arrived.flat().map((one) => [(one as ToolMessage).tool_call_id, one.text]));
        const write = tool((_, { toolCall }) => results.get(toolCall?.id ?? "") ?? "", {
          name: "write_file",
          description: "Writes a file.",
          schema: z.object({ path: z.string(), content: z.string() }),
        });
        const files = VirtualFilesystem.inMemory();
        const middleware = [
          predictiveContextMiddleware({ files, budget, policy, onError: "throw", tools: [] }),
        ];
        const agent = createAgent({ model, tools: [write], middleware });
        await agent.invoke({ messages: [...(arrived[0] ?? [])] }, inThread("t"));
        expect(model.prompts).toHaveLength(script.length + 1);
        const most = Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)));
        expect(most).toBeLessThanOrEqual(budget);
        expect(model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });
});

function noCheck(): void {}
