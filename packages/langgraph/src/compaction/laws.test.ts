import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { toStoredMessage, unfold, withIds } from "@palimpsest/context";
import { openHeld } from "@palimpsest/context/internal";
import {
  addedIllegalities,
  changedCompaction,
  historyArbitrary,
  staleReasoning,
} from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextOptions } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { FailingDriver } from "../testing/storage.js";
import { compact } from "../testing/compact.js";

const config = { configurable: { thread_id: "t" } };
const runs = { numRuns: 60 };

/** A class that nobody knows comes back as the one that LangChain has for it. */
function stored(messages: readonly BaseMessage[]) {
  return messages.map((message) => {
    const { class: name, type, data, meta } = toStoredMessage(message);
    const foreign = name === "ForeignMessage" || name === "ChatMessage";
    return foreign ? { data: { ...data, role: undefined }, meta } : { name, type, data, meta };
  });
}

const answers: readonly (() => string)[] = [
  () => "## Findings\n- $& is a dollar",
  () => "",
  () => "x".repeat(100_000),
  () => {
    throw new Error("down");
  },
];

const optionsArbitrary: fc.Arbitrary<Partial<ContextOptions>> = fc.record({
  contextWindow: fc.constantFrom(300, 1_000, 5_000),
  limits: fc.record({ offload: fc.constantFrom(30, 20_000), userMessages: fc.constantFrom(20, 20_000) }),
  trigger: fc.constantFrom({ fraction: 0.4 }, { messages: 6 }, [{ tokens: 600 }, { messages: 3 }]),
  keep: fc.constantFrom({ fraction: 0.1 }, { messages: 2 }),
  model: fc.constantFrom(...answers).map((answer) => ({ invoke: async () => new AIMessage(answer()) })),
});

/** What promotes messages: scores all over the history, doubts, or nothing. */
const promotionArbitrary: fc.Arbitrary<Partial<ContextOptions>> = fc.oneof(
  fc.constant({}),
  fc.record({
    importance: fc
      .integer({ min: 1, max: 1_000 })
      .map((seed) => (messages: readonly BaseMessage[]) => messages.map((_, at) => ((at + 1) * seed) % 3)),
    limits: fc.record({ verbatim: fc.constantFrom(50, 400, 10_000) }),
  }),
  fc.constant<Partial<ContextOptions>>({ markers: { density: 1 }, limits: { verbatim: 10_000 } }),
);

/** By these prices a planner compacts at nearly every occasion. */
const planner = { prices: { input: 1, cachedInput: 1, output: 0 }, rereadTokens: 0, remainingSteps: 1_000 };

const caseArbitrary = fc.record({
  messages: fc.oneof(historyArbitrary({ maxTurns: 3 }), historyArbitrary({ maxTurns: 3, maxNative: 2 })),
  options: fc
    .tuple(
      fc.oneof(
        optionsArbitrary,
        optionsArbitrary.map((options) => ({ ...options, planner })),
      ),
      promotionArbitrary,
    )
    .map(([options, promotion]) => ({
      ...options,
      ...promotion,
      limits: { ...options.limits, ...promotion.limits },
    })),
  how: fc.constantFrom({}, { overflow: true }, { only: "summary" } as const),
});

describe("one run of the ladder, over any history, with any summary model", () => {
  it("loses nothing: unfolding gives the thread back", async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ messages, options, how }) => {
        const files = VirtualFilesystem.inMemory();
        const outcome = await compact({ messages, config, ...how }, resolveOptions({ files, ...options }));
        changed += outcome.messages === messages ? 0 : 1;
        const opened = await unfold(outcome.messages, (path) => files.thread("t").archive.readText(path));
        expect(stored(withIds(opened))).toEqual(stored(withIds(messages)));
      }),
      runs,
    );
    expect(changed).toBeGreaterThan(10);
  });

  it("makes nothing illegal, and leaves its input as it was", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ messages, options, how }) => {
        const before = JSON.stringify(stored(messages));
        const files = VirtualFilesystem.inMemory();
        const outcome = await compact({ messages, config, ...how }, resolveOptions({ files, ...options }));
        const [sent, next] = [withIds(messages), withIds(outcome.messages)];
        expect(addedIllegalities(sent, next)).toEqual([]);
        expect(staleReasoning(sent, next)).toEqual([]);
        expect(changedCompaction(sent, next)).toEqual([]);
        expect(JSON.stringify(stored(messages))).toBe(before);
      }),
      runs,
    );
  });

  it("gives the same context and the same file names again", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ messages, options, how }) => {
        const resolved = resolveOptions({ files: VirtualFilesystem.inMemory(), ...options });
        const first = await compact({ messages, config, ...how }, resolved);
        const second = await compact({ messages, config, ...how }, resolved);
        expect(stored(second.messages)).toEqual(stored(first.messages));
        expect(second.state).toEqual(first.state);
      }),
      runs,
    );
  });

  it("keeps every original in the messages if the archive cannot be written", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ messages, options, how }) => {
        const driver = new FailingDriver();
        driver.full = true;
        const files = new VirtualFilesystem({ driver });
        const outcome = await compact({ messages, config, ...how }, resolveOptions({ files, ...options }));
        const opened = await openHeld(outcome.messages);
        expect(stored(withIds(opened))).toEqual(stored(withIds(messages)));
      }),
      runs,
    );
  });
});
