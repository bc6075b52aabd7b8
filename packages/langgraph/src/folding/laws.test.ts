import { ToolMessage, AIMessage, type BaseMessage } from "@langchain/core/messages";
import { copyMessage, toStoredMessage, unfold, withIds } from "@palimpsest/context";
import { blocksOf, foldUnits } from "@palimpsest/context/folding";
import { isSignedCompaction } from "@palimpsest/context/internal";
import { addedIllegalities, historyArbitrary, staleReasoning, isSummary } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldPast } from "./fold-past.js";
import { runStep } from "../run/run-step.js";
import { resolveFoldOptions, type FoldOptions } from "./fold-options.js";

const config = { configurable: { thread_id: "t" } };
const runs = { numRuns: 40 };

const step = fc.integer({ min: 0, max: 14 });
const directive = fc.oneof(
  fc.constant(""),
  fc.tuple(step, step).map((range) => JSON.stringify({ range, summary: "done" })),
  fc
    .array(step, { maxLength: 4 })
    .map((ids) =>
      JSON.stringify({ fold: { type: "deep_consolidation", target: { ids }, summary_text: "done" } }),
    ),
  fc.string().map((text) => `{"range":[1,2],"summary":${text}`),
);

const always = {
  condense: fc.constantFrom("every-step", "every-step", "on-directive"),
  contextWindow: fc.constantFrom(300, 2_000, 100_000),
  recentBlocks: fc.constantFrom(1, 2, 24),
  blockTokens: fc.constantFrom(40, 300, 16_000),
  microTokens: fc.constantFrom(1, 20, 65),
  limits: fc.record({ userMessages: fc.constantFrom(20, 20_000) }),
  pin: fc.constantFrom(
    (message: BaseMessage) => (message.id ?? "").endsWith("4"),
    () => false,
  ),
};

/** Options with and without interactions that stay in full. */
const optionsArbitrary: fc.Arbitrary<Partial<FoldOptions>> = fc.oneof(
  fc.record(always),
  fc.record({ ...always, keep: fc.constantFrom({ messages: 3 }, { tokens: 200 }, { fraction: 0.2 }) }),
);

const caseArbitrary = fc.record({
  history: fc.oneof(
    historyArbitrary({ maxTurns: 5, maxSteps: 4 }),
    historyArbitrary({ maxTurns: 5, maxSteps: 4, maxNative: 2 }),
  ),
  directives: fc.array(directive, { minLength: 20, maxLength: 20 }),
  options: optionsArbitrary,
});

interface Case {
  readonly history: readonly BaseMessage[];
  readonly directives: readonly string[];
  readonly options: Partial<FoldOptions>;
}

interface PlayedStep {
  readonly thread: readonly BaseMessage[];
  readonly before: readonly BaseMessage[];
  readonly messages: readonly BaseMessage[];
}

/** Runs a thread step by step, with a directive in each AI message that has text. */
async function play({ history, directives, options }: Case) {
  let said = 0;
  const thread = withIds(history).map((message) => {
    if (!AIMessage.isInstance(message) || typeof message.content !== "string") return message;
    const text = directives[said++ % directives.length];
    return text === ""
      ? message
      : copyMessage(message, { content: `${message.content}<context>${text}</context>` });
  });
  const files = VirtualFilesystem.inMemory();
  const resolved = resolveFoldOptions({ contextWindow: 2_000, ...options, files, onError: "throw" });
  let messages: readonly BaseMessage[] = [];
  let state = {};
  const contexts: PlayedStep[] = [];
  for (const [index, message] of thread.entries()) {
    messages = [...messages, message];
    const next = thread[index + 1];
    if (next !== undefined && !AIMessage.isInstance(next)) continue;
    const before = messages;
    const outcome = await runStep({ messages, state, config }, resolved, foldPast);
    messages = outcome.messages;
    state = { ...state, ...outcome.state };
    contexts.push({ thread: thread.slice(0, index + 1), before, messages });
  }
  const read = (path: string) => files.thread("t").archive.readText(path);
  return { thread, messages, contexts, read, state, resolved };
}

/** Returns what the user has said. */
function words(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.filter((message) => message.getType() === "human" && !isSummary(message));
}

/** LangChain restores an unknown message class as a ChatMessage. */
function stored(messages: readonly BaseMessage[]) {
  return messages.map((message) => {
    const { class: name, type, data, meta } = toStoredMessage(message);
    const foreign = name === "ForeignMessage" || name === "ChatMessage";
    return foreign ? { data: { ...data, role: undefined }, meta } : { name, type, data, meta };
  });
}

describe("folding, over any thread with any directives", () => {
  it("loses nothing: unfolding returns the thread", async () => {
    let blocks = 0;
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (given) => {
        const { thread, messages, read } = await play(given);
        blocks += blocksOf(messages).filter(({ scale }) => scale === "macro").length;
        expect(stored(await unfold(messages, read))).toEqual(stored(thread));
      }),
      runs,
    );
    expect(blocks).toBeGreaterThan(0);
  });

  it("keeps blocks in order, without gaps and overlaps", async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (given) => {
        const { contexts } = await play(given);
        for (const { messages } of contexts) {
          const stepping = foldUnits(messages).filter(({ kind }) => kind !== "words");
          const starts = stepping.map(({ startStep }) => startStep);
          const expected = [1, ...stepping.slice(0, -1).map(({ endStep }) => endStep + 1)];
          expect(starts).toEqual(expected.slice(0, starts.length));
          const ids = blocksOf(messages).map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          checked += ids.length;
        }
      }),
      runs,
    );
    expect(checked).toBeGreaterThan(100);
  });

  it("sends only legal prompts, and keeps what the model has not seen", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (given) => {
        const { contexts } = await play(given);
        for (const { thread, before, messages } of contexts) {
          // A result that comes after the host has dropped its call is an orphan before any fold.
          const inThread = new Set(addedIllegalities(thread, messages));
          expect(addedIllegalities(before, messages).filter((one) => inThread.has(one))).toEqual([]);
          const unseen = thread.slice(
            Math.max(
              0,
              thread.findLastIndex((message) => AIMessage.isInstance(message)),
            ),
          );
          expect(staleReasoning(before, messages)).toEqual([]);
          const kept = messages.slice(-unseen.length);
          expect(kept.map(({ id }) => id)).toEqual(unseen.map(({ id }) => id));
          expect(kept.filter((message) => ToolMessage.isInstance(message))).toEqual(
            unseen.filter((message) => ToolMessage.isInstance(message)),
          );
        }
      }),
      runs,
    );
  });

  it("keeps the first and the newest user message", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (given) => {
        const { thread, messages } = await play(given);
        // A signed compaction of the provider stands for the words before it.
        const start = thread.findLastIndex(isSignedCompaction) + 1;
        const users = start > 0 ? words(thread.slice(start)).slice(-1) : words(thread);
        const kept = messages.map(({ id }) => id);
        const wanted = [users.at(0), users.at(-1)].flatMap((message) => message?.id ?? []);
        expect(kept).toEqual(expect.arrayContaining(wanted));
      }),
      runs,
    );
  });

  it("changes nothing when it runs twice", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (given) => {
        const { messages, state, resolved } = await play(given);
        const again = await runStep({ messages, state, config }, resolved, foldPast);
        expect(stored(again.messages)).toEqual(stored(messages));
      }),
      runs,
    );
  });
});
