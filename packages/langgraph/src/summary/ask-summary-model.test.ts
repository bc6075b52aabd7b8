import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { GraphInterrupt } from "@langchain/langgraph";
import { foldOf, toStoredMessage } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { filler, history } from "../testing/history.js";
import { unfolded } from "../testing/storage.js";
import { compact } from "../testing/compact.js";
import { measureOf } from "../run/measure.js";
import { applyPlan } from "../compaction/apply-plan.js";
import { compactionFacts } from "../compaction/compaction-facts.js";
import { planCompaction } from "../compaction/plan-compaction.js";

const config = { configurable: { thread_id: "t" } };
const messages = history({ steps: 25, result: (step) => `Port ${8000 + step}.\n${filler(300, step)}` });
const answer = () => new AIMessage("## Findings\n- the model said so");
const busy = () => Object.assign(new Error("429 slow down"), { status: 429 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Reply = (prompt: readonly BaseMessage[], call: number, signal?: AbortSignal) => unknown;

/** Compacts with a model that replies so, and lets all timers run out. */
async function compacted(reply: Reply, options: Partial<ContextOptions> = {}, signal?: AbortSignal) {
  const events: ContextEvent[] = [];
  const prompts: (readonly BaseMessage[])[] = [];
  const files = VirtualFilesystem.inMemory();
  const model = {
    async invoke(prompt: BaseMessage[], { signal }: { signal?: AbortSignal } = {}): Promise<BaseMessage> {
      return (await reply(prompt, prompts.push(prompt) - 1, signal)) as BaseMessage;
    },
  };
  const resolved = resolveOptions({
    files,
    model,
    contextWindow: 9_000,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const run = compact(
    { messages, config: { ...config, ...(signal && { signal }) }, only: "summary" },
    resolved,
  );
  const settled = run.then(
    (outcome) => ({ outcome, error: undefined }),
    (error: unknown) => ({ outcome: undefined, error }),
  );
  await vi.runAllTimersAsync();
  const { outcome, error } = await settled;
  const context = outcome?.messages ?? messages;
  const summary = context.find((message) => foldOf(message) !== undefined);
  const next = events.flatMap((event) => (event.type === "context.fail" ? [event.next] : []));
  return { context, summary, error, prompts, next, thread: () => unfolded(context, files, "t") };
}

const whole = messages.map((message) => toStoredMessage(message));

const deaf = () => new Promise(() => undefined);
const listening: Reply = (_, __, signal) =>
  new Promise((___, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("503 aborted")));
  });

describe("a summary model that fails", () => {
  it("gets smaller pieces when it says that one was too long, with all of the conversation in them", async () => {
    const { summary, prompts, next } = await compacted((prompt) =>
      String(prompt[1]?.text).length > 6_000 ? raise(new ContextOverflowError("too long")) : answer(),
    );
    expect(summary?.text).toContain("the model said so");
    expect(next).toEqual(["smaller-pieces"]);
    expect(prompts.length).toBeGreaterThan(3);
    const shown = prompts
      .slice(1)
      .map((prompt) => /<conversation>\n([\s\S]*)\n<\/conv/.exec(String(prompt[1]?.text))?.[1]);
    const first = /<conversation>\n([\s\S]*)\n<\/conv/.exec(String(prompts[0]?.[1]?.text))?.[1] ?? "nothing";
    expect(shown.join("")).toContain(first);
  });

  it.each<[string, Reply]>([
    ["an unknown model", () => raise(Object.assign(new Error("no such model"), { status: 404 }))],
    ["a rate limit that outlasts the retries of the model", () => raise(busy())],
    ["an empty answer", () => new AIMessage("")],
    ["an endless answer", () => new AIMessage(filler(30_000))],
    ["an answer of another kind", () => undefined],
  ])("is not asked again after %s", async (_, reply) => {
    const { summary, prompts, next, thread } = await compacted(reply);
    expect(prompts).toHaveLength(1);
    expect(next).toEqual(["extract"]);
    expect(summary?.text).toMatch(/row \d+ of \d+ holds/);
    expect(await thread()).toEqual(whole);
  });

  it("is awaited no longer than limits.summaryMs, even if it ignores the signal", async () => {
    for (const reply of [deaf, listening]) {
      const started = Date.now();
      const { summary, prompts, next } = await compacted(reply, { limits: { summaryMs: 3_000 } });
      expect(Date.now() - started).toBe(3_000);
      expect(prompts).toHaveLength(1);
      expect(next).toEqual(["extract"]);
      expect(summary?.text).toMatch(/row \d+ of \d+ holds/);
    }
  });

  it("leads to a note and the archive if no summary can be written at all", async () => {
    const options = resolveOptions({ files: VirtualFilesystem.inMemory(), contextWindow: 9_000 });
    const measure = measureOf(messages, options, undefined);
    const step = compactionFacts(messages, { options, measure, reason: "overflow" });
    const { rewrite } = applyPlan(planCompaction(step), undefined, step);
    expect(rewrite?.folds).toEqual([expect.objectContaining({ kind: "trim", reason: "overflow" })]);
  });

  it.each(["Maximum call stack size exceeded", "Array buffer allocation failed", "Invalid string length"])(
    "does not hide that the process has used up its stack or memory: %s",
    async (message) => {
      const { error, prompts, next } = await compacted(() => raise(new RangeError(message)));
      expect(error).toMatchObject({ message });
      expect(prompts).toHaveLength(1);
      expect(next).toEqual([]);
    },
  );

  it("does not stop an interrupt or an abort", async () => {
    const interrupt = await compacted(() => raise(new GraphInterrupt([])));
    expect(interrupt.error).toBeInstanceOf(GraphInterrupt);
    expect(interrupt.prompts).toHaveLength(1);

    const controller = new AbortController();
    const aborted = await compacted(
      () => {
        setTimeout(() => controller.abort(new Error("stopped by the user")), 100);
        return deaf();
      },
      {},
      controller.signal,
    );
    expect(aborted.error).toMatchObject({ message: "stopped by the user" });
    expect(aborted.prompts).toHaveLength(1);
  });
});

function raise(error: Error): never {
  throw error;
}
