import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { defaults, estimateTokens, foldOf, unfold, withIds } from "@palimpsest/context";
import { addedIllegalities, historyArbitrary, messageImage } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { mergeCompaction, type CompactionState } from "../run/context-state.js";
import { resolveOptions } from "../options/resolve-options.js";
import { filler, history } from "../testing/history.js";
import { compact } from "../testing/compact.js";
import { measureOf } from "../run/measure.js";

const config = { configurable: { thread_id: "t" } };
const window = 4_000;

/** Runs the ladder before each call of a thread, as a graph does, and returns what each call was sent and what was reported. */
class Play {
  readonly files = VirtualFilesystem.inMemory();
  readonly events: ContextEvent[] = [];
  readonly options;
  messages: readonly BaseMessage[] = [];
  state: CompactionState = {};

  constructor(options: Partial<ContextOptions> = {}) {
    const onEvent = (event: ContextEvent) => this.events.push(event);
    this.options = resolveOptions({ files: this.files, contextWindow: window, onEvent, ...options });
  }

  /** Adds messages, and returns the tokens of the prompt that is sent with them. */
  async step(...more: readonly BaseMessage[]): Promise<number> {
    const messages = withIds([...this.messages, ...more]);
    const outcome = await compact({ messages, state: this.state, config }, this.options);
    this.messages = outcome.messages;
    this.state = mergeCompaction(this.state, outcome.state);
    return measureOf(this.messages, this.options, this.state).tokens;
  }

  typesSince(index: number): readonly string[] {
    return this.events.slice(index).map(({ type }) => type);
  }

  overflows() {
    return this.events.filter((event) => event.type === "context.overflow");
  }

  async unfolded(): Promise<readonly string[]> {
    const { archive } = this.files.thread("t");
    const opened = await unfold(this.messages, (path) => archive.readText(path));
    return opened.map(messageImage);
  }
}

const writes = (id: string, tokens: number) =>
  new AIMessage({
    id,
    content: "",
    tool_calls: [
      { id: `call-${id}`, name: "write_file", args: { file_path: "a.txt", content: filler(tokens) } },
    ],
  });
const written = (id: string) =>
  new ToolMessage({
    id: `result-${id}`,
    name: "write_file",
    content: "Written.",
    tool_call_id: `call-${id}`,
  });

it("a trigger over the window compacts as rarely as one at the window", async () => {
  const play = new Play({ trigger: { tokens: 2 * window } });
  for (const message of history({ steps: 150, result: (step) => filler(200, step) })) {
    expect(await play.step(message)).toBeLessThanOrEqual(window);
  }
  const compactions = play.events.filter(({ type }) => type === "context.compaction");
  expect(compactions.length).toBeGreaterThan(2);
  expect(compactions.length).toBeLessThan(25);
});

describe("over any thread with single messages of 0.3 to 3 windows in every role", () => {
  const caseArbitrary = fc.record({
    thread: historyArbitrary({ maxTurns: 3, large: window, maxOddities: 1 }).map((one) => withIds(one)),
    options: fc.record({
      trigger: fc.constantFrom(defaults.trigger, { fraction: 0.4 }, { messages: 30 }),
      limits: fc.record({ offload: fc.constantFrom(500, 20_000), batch: fc.constantFrom(1_000, 50_000) }),
      model: fc.constantFrom(
        { invoke: async () => new AIMessage("## Findings\n- one") },
        { invoke: async () => new AIMessage("x".repeat(50_000)) },
      ),
    }),
  });

  it("every prompt fits the window, or an event says that it cannot and why", async () => {
    const seen = { fits: 0, told: 0 };
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ thread, options }) => {
        const play = new Play(options);
        for (const message of thread) {
          const before = [...play.messages, message];
          const tokens = await play.step(message);
          expect(addedIllegalities(before, play.messages)).toEqual([]);
          const isOver = tokens > window;
          expect({ isOver, isKnown: play.state.overflow !== undefined }).toEqual({ isOver, isKnown: isOver });
          const { reason } = play.state.overflow ?? {};
          const reported = play.overflows().map(({ parts }) => parts[0]?.reason);
          expect(reason === undefined || reported.includes(reason)).toBe(true);
          seen.fits += !isOver && estimateTokens(before) > window ? 1 : 0;
          seen.told += isOver ? 1 : 0;
        }
        expect(await play.unfolded()).toEqual(thread.map(messageImage));
      }),
      { numRuns: 60 },
    );
    expect(seen.fits).toBeGreaterThan(30);
    expect(seen.told).toBeGreaterThan(5);
  });

  it("a prompt is over the window only if overhead, system messages and images take a third of it", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ thread, options }) => {
        const play = new Play(options);
        for (const message of thread) await play.step(message);
        const fixed = play
          .overflows()
          .map(({ parts }) =>
            parts
              .filter(({ reason }) => ["overhead", "system", "media"].includes(reason))
              .reduce((sum, { tokens }) => sum + tokens, 0),
          );
        expect(fixed.filter((tokens) => tokens < window / 3)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a large input of a call", () => {
  it("is replaced in the newest call as soon as the prompt would not fit, and no summary is written", async () => {
    const play = new Play();
    await play.step(...history({ steps: 5 }));
    const tokens = await play.step(writes("w", 5_000), written("w"));
    expect(tokens).toBeLessThan(window);
    expect(play.messages.flatMap((message) => foldOf(message)?.kind ?? [])).toEqual(["input"]);
    expect(play.typesSince(0)).toEqual(["context.fold", "context.compaction"]);
  });

  it("leaves no later prompt over the window either, right after a compaction that ended near it", async () => {
    const play = new Play({ trigger: { fraction: 0.5 }, keep: { fraction: 0.1 } });
    await play.step(new HumanMessage({ id: "h", content: filler(1_900) }));
    const sizes: number[] = [];
    for (const id of ["a", "b", "c", "d"]) sizes.push(await play.step(writes(id, 1_500), written(id)));
    expect(sizes.filter((tokens) => tokens > window)).toEqual([]);
  });
});

describe("a prompt that cannot fit", () => {
  const rules = new SystemMessage({ id: "rules", content: filler(7_000) });

  it("is reported with its size, the window and its parts, once for a reason and again when it has grown", async () => {
    const play = new Play();
    await play.step(rules, new HumanMessage({ id: "h", content: "Go on." }));
    expect(play.overflows()).toMatchObject([
      { window, reason: "trigger", parts: [{ reason: "system", messages: ["rules"] }, { reason: "user" }] },
    ]);
    for (const id of ["a", "b", "c"]) await play.step(writes(id, 30), written(id));
    expect(play.overflows()).toHaveLength(1);
    await play.step(new HumanMessage({ id: "h2", content: filler(450) }));
    expect(play.overflows()).toHaveLength(2);
    const [first, second] = play.overflows();
    expect(second?.tokens).toBeGreaterThan((first?.tokens ?? 0) * 1.05);
  });

  it("is never reported as an ordinary compaction, even where a compaction has made it shorter", async () => {
    const play = new Play();
    await play.step(rules, ...history({ steps: 40, result: (step) => filler(60, step) }));
    const [overflow] = play.overflows();
    expect(overflow?.tokens).toBeGreaterThan(window);
    expect(overflow?.tokens).toBeLessThan((overflow?.tokensBefore ?? 0) * 0.95);
    expect(play.typesSince(0)).not.toContain("context.compaction");
  });

  it("pays for no summary at each step", async () => {
    let calls = 0;
    const model = { invoke: async () => (calls++, new AIMessage("## Findings\n- one")) };
    const play = new Play({ model });
    await play.step(rules, ...history({ steps: 40, result: (step) => filler(60, step) }));
    const paid = calls;
    for (let step = 0; step < 3; step++) await play.step(writes(`w${step}`, 20), written(`w${step}`));
    expect(paid).toBeGreaterThan(0);
    expect(calls).toBe(paid);
  });

  it("is reported again when it returns after a prompt that fitted", async () => {
    const play = new Play();
    await play.step(rules, new HumanMessage({ id: "h", content: "Go on." }));
    const [, ...rest] = play.messages;
    play.messages = rest;
    expect(await play.step()).toBeLessThan(window);
    play.messages = [rules, ...rest];
    await play.step();
    expect(play.overflows()).toHaveLength(2);
  });
});

describe("a user message", () => {
  it("of three quarters of the window is sent whole", async () => {
    const play = new Play();
    const message = new HumanMessage({ id: "h", content: `${filler(2_900)}\nAnswer in French.` });
    await play.step(message);
    expect(play.messages).toEqual([message]);
    expect(play.typesSince(0)).not.toContain("context.clip");
  });

  it("larger than the window keeps its beginning, its end and its rules, and an event says so", async () => {
    const play = new Play();
    const content = `Sum this up.\n${filler(4_000, 1)}\nNever name a customer.\n${filler(4_000, 2)}\nAnswer in French.`;
    const tokens = await play.step(new HumanMessage({ id: "h", content }));
    expect(tokens).toBeLessThan(window / 4);
    const text = play.messages.map((message) => message.text).join("");
    expect(text).toMatch(/^Sum this up\.\n/);
    expect(text).toMatch(/\nAnswer in French\.$/);
    expect(text).toContain("- Never name a customer.");
    expect(play.events).toMatchObject([
      { type: "context.fold" },
      { type: "context.clip", messageId: "h", tokensBefore: estimateTokens([new HumanMessage(content)]) },
    ]);
  });

  it("is measured against the window without system prompt and tools, and a tenth of it", async () => {
    const message = new HumanMessage({ id: "h", content: filler(2_500) });
    const whole = new Play({ systemPrompt: filler(500) });
    await whole.step(message);
    expect(whole.typesSince(0)).not.toContain("context.clip");
    const cut = new Play({ systemPrompt: filler(1_400) });
    await cut.step(message);
    expect(cut.typesSince(0)).toContain("context.clip");
  });

  it("stays whole through every later compaction, the first and the newest", async () => {
    const play = new Play();
    const first = new HumanMessage({ id: "h", content: `${filler(1_500)}\nAnswer in French.` });
    await play.step(first);
    for (let step = 0; step < 20; step++) await play.step(writes(`w${step}`, 400), written(`w${step}`));
    const newest = new HumanMessage({ id: "h2", content: `${filler(1_000)}\nIn Greek now.` });
    await play.step(newest);
    for (let step = 20; step < 40; step++) await play.step(writes(`w${step}`, 400), written(`w${step}`));
    expect(play.typesSince(0)).toContain("context.compaction");
    expect(play.messages.filter(({ id }) => id === "h" || id === "h2")).toEqual([first, newest]);
  });
});
