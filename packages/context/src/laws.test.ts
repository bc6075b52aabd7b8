import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { applyCertified } from "./certificate/apply-certified.js";
import { reuseOf } from "./selection/reuse-likelihoods.js";
import { cutPoints } from "./cuts/cut-rules.js";
import { findCutoff, unseenStart } from "./cuts/find-cutoff.js";
import { laneFolder, laneOfPath, type Lane } from "./folds/archive-paths.js";
import { foldOf } from "./folds/fold.js";
import { unchanged, type Rewrite } from "./folds/rewrite.js";
import { foldNamed, unfold } from "./folds/unfold.js";
import { withIds } from "./messages/message-id.js";
import { toolCalls } from "./messages/tool-calls.js";
import type { Keep } from "./options.js";
import { foldBlocks } from "./folding/fold-blocks.js";
import { dropReasoning } from "./passes/drop-stale-reasoning.js";
import { shrinkToFit } from "./passes/shrink-to-fit.js";
import { dropStaleReads } from "./passes/drop-stale-reads.js";
import { foldCovered } from "./passes/fold-covered.js";
import { maskToolResults } from "./passes/mask-tool-results.js";
import { offloadLargeToolResults } from "./passes/offload-large-tool-results.js";
import { offloadLargeUserMessages } from "./passes/offload-large-user-messages.js";
import { trimToArchive } from "./passes/trim-to-archive.js";
import { truncateToolInputs } from "./passes/truncate-tool-inputs.js";
import { applySummary } from "./summary/apply-summary.js";
import { isSummary, isUserMessage } from "./folds/fold.js";
import { planSummary, type SummaryPlan } from "./summary/plan-summary.js";
import {
  addedIllegalities,
  changedCompaction,
  historyArbitrary,
  illegalities,
  messageImage,
  readerOf,
  recordWrites,
} from "./testing/index.js";
import type { ContextMeasure } from "./tokens/measure-context.js";
import { estimateTokens } from "./tokens/estimate-tokens.js";

const tokenCounter = estimateTokens;
const runs = { numRuns: 100 };

/** A pass with its options, and a name to read in a counterexample. */
interface Pass {
  readonly run: (messages: readonly BaseMessage[], lane?: Lane) => Rewrite;
  readonly toString: () => string;
}

type Pin = (message: BaseMessage) => boolean;

const pinArbitrary: fc.Arbitrary<Pin | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.integer({ min: 2, max: 9 }).map(
    (every): Pin =>
      ({ id = "" }) =>
        Number(/^m(\d+)$/.exec(id)?.[1]) % every === 0,
  ),
  fc.constantFrom<Pin>(
    (message) => message.getType() === "human",
    (message) => foldOf(message) !== undefined,
    () => true,
  ),
);

const keepArbitrary: fc.Arbitrary<Keep> = fc.oneof(
  fc.record({ messages: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ tokens: fc.integer({ min: 1, max: 3_000 }) }),
  fc.record({ turns: fc.integer({ min: 1, max: 4 }) }),
);

const planArbitrary = fc.record({
  keep: keepArbitrary,
  pin: pinArbitrary,
  userTokens: fc.constantFrom(0, 50, 20_000),
  text: fc.constantFrom("", "## Findings\n- $& is a dollar", "Prose."),
});

const passes = {
  offload: fc
    .record({ offloadTokens: fc.constantFrom(20, 200), batchTokens: fc.constantFrom(30, 300, Infinity) })
    .map((options) =>
      pass("offload", options, (m, lane) => offloadLargeToolResults(m, { ...options, lane })),
    ),
  offloadUser: fc
    .record({ maxTokens: fc.constantFrom(20, 200) })
    .map((options) =>
      pass("offload user", options, (m, lane) => offloadLargeUserMessages(m, { ...options, lane })),
    ),
  input: fc
    .record({ inputCharacters: fc.constantFrom(100, 1_000), pin: pinArbitrary })
    .map((options) => pass("input", options, (m, lane) => truncateToolInputs(m, { ...options, lane }))),
  mask: fc
    .record({ keepSteps: fc.integer({ min: 0, max: 4 }), pin: pinArbitrary })
    .map((options) => pass("mask", options, (m, lane) => maskToolResults(m, { ...options, lane }))),
  stale: fc
    .record({ pin: pinArbitrary })
    .map((options) => pass("stale", options, (m, lane) => dropStaleReads(m, { ...options, lane }))),
  summary: planArbitrary.map(({ text, ...options }) =>
    pass("summary", options, (messages, lane) => {
      const plan = planFor(messages, options);
      return plan === undefined ? unchanged(messages) : applySummary(plan, { text, tokenCounter, lane });
    }),
  ),
  covered: fc
    .record({ pin: pinArbitrary, userTokens: fc.constantFrom(0, 20_000) })
    .map((options) => pass("covered", options, (m, lane) => foldCovered(m, { ...options, lane }))),
  certified: planArbitrary.map(({ text, ...options }) =>
    pass("certified summary", options, (messages, lane) => {
      const plan = planFor(messages, options);
      if (plan === undefined) return unchanged(messages);
      return applyCertified(plan, { text, tokenCounter, lane, excerpts: { tokens: 200, scorer: reuseOf } });
    }),
  ),
  trim: planArbitrary.map((options) =>
    pass("trim", options, (messages, lane) => {
      const plan = planFor(messages, options);
      return plan === undefined ? unchanged(messages) : trimToArchive(plan, { tokenCounter, lane });
    }),
  ),
};
const kinds = Object.entries(passes);

const measure = { overheadTokens: 0, tokenRatio: 1 } as ContextMeasure;

/** Further functions that write to an archive. */
const writers = {
  ...passes,
  shrink: fc
    .record({ target: fc.constantFrom(20, 200), window: fc.constantFrom(10, 100) })
    .map((options) => pass("shrink", options, (m, lane) => shrinkToFit(m, { ...options, measure, lane }))),
  blocks: fc
    .record({ userTokens: fc.constantFrom(0, 20_000) })
    .map((options) => pass("blocks", options, (m, lane) => foldBlocks(m, { ...options, lane }))),
  reasoning: fc.record({ from: fc.nat(4) }).map((options) =>
    pass("reasoning", options, (m, lane) => {
      const newest = m.at(-1)?.id;
      return dropReasoning(unchanged(m), {
        isStale: (_message, index) => index >= options.from,
        newest,
        tokenCounter,
        lane,
      });
    }),
  ),
};
const anyPass = fc.oneof(...Object.values(passes));
const history = fc
  .oneof(historyArbitrary({ maxTurns: 3 }), historyArbitrary({ maxTurns: 3, maxNative: 2 }))
  .map((messages) => withIds(messages));

const native = historyArbitrary({ maxTurns: 3, maxNative: 3 }).map((messages) => withIds(messages));

function pass(name: string, options: object, run: Pass["run"]): Pass {
  return { run, toString: () => `${name} ${JSON.stringify(options)}` };
}

function planFor(
  messages: readonly BaseMessage[],
  { keep, pin, userTokens }: { keep: Keep; pin: Pin | undefined; userTokens: number },
): SummaryPlan | undefined {
  const cut = findCutoff(messages, { keep, tokenCounter });
  return planSummary(messages, { cut, pin, userTokens, tokenCounter });
}

function images(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map(messageImage);
}

describe.each(Object.entries(writers))("the %s pass in a lane", (_, arbitrary: fc.Arbitrary<Pass>) => {
  it("writes to the folder of the lane, names no other file that it writes, and is unfolded from there", async () => {
    const lane: Lane = { name: "scout", share: "none" };
    let written = 0;
    await fc.assert(
      fc.asyncProperty(history, arbitrary, async (messages, { run }) => {
        const archive = new Map<string, string>();
        const rewrite = run(messages, lane);
        recordWrites(archive, rewrite.writes);
        written += archive.size;
        const paths = [
          ...archive.keys(),
          ...rewrite.folds.flatMap(({ path, record = path }) => [path, record]),
        ];
        expect(paths.filter((path) => laneOfPath(path) !== lane.name)).toEqual([]);
        const texts = [...archive.values(), ...images(rewrite.messages)];
        const elsewhere = [...archive.keys()].map((path) => path.replace(laneFolder(lane), "/context/"));
        expect(elsewhere.filter((path) => texts.some((text) => text.includes(path)))).toEqual([]);
        expect(images(await unfold(rewrite.messages, readerOf(archive)))).toEqual(images(messages));
      }),
      runs,
    );
    expect(written).toBeGreaterThan(0);
  });
});

describe.each(kinds)("the %s pass", (_, arbitrary: fc.Arbitrary<Pass>) => {
  it("unfold restores the messages after any pass, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(history, arbitrary, async (messages, { run }) => {
        const archive = new Map<string, string>();
        const rewrite = run(messages);
        recordWrites(archive, rewrite.writes);
        expect(images(await unfold(rewrite.messages, readerOf(archive)))).toEqual(images(messages));
      }),
      runs,
    );
  });

  it("no pass adds anything that a provider refuses", () => {
    fc.assert(
      fc.property(history, arbitrary, (messages, { run }) => {
        expect(addedIllegalities(messages, run(messages).messages)).toEqual([]);
      }),
      runs,
    );
  });

  it("a pass keeps the newest compaction of the provider as it came", () => {
    fc.assert(
      fc.property(native, arbitrary, (messages, { run }) => {
        expect(changedCompaction(messages, run(messages).messages)).toEqual([]);
      }),
      runs,
    );
  });

  it("a pass gives the same folds, names and files for the same input, and changes nothing the second time", () => {
    fc.assert(
      fc.property(history, arbitrary, (messages, { run }) => {
        const first = run(messages);
        const again = run(messages);
        expect(again.folds).toEqual(first.folds);
        expect(again.writes).toEqual(first.writes);
        expect(images(again.messages)).toEqual(images(first.messages));
        const second = run(first.messages);
        expect(second.folds).toEqual([]);
        expect(second.writes).toEqual([]);
        expect(second.messages.map((message, index) => message === first.messages[index])).not.toContain(
          false,
        );
      }),
      runs,
    );
  });

  it("no pass changes its input", () => {
    fc.assert(
      fc.property(history, arbitrary, (messages, { run }) => {
        const before = images(messages);
        const inside = inspect(
          messages.map((message) => message.lc_kwargs),
          { depth: Infinity, maxStringLength: 200 },
        );
        const frozen = messages.map(deepFreeze);
        run(Object.freeze(frozen));
        expect(images(messages)).toEqual(before);
        expect(
          inspect(
            messages.map((message) => message.lc_kwargs),
            { depth: Infinity, maxStringLength: 200 },
          ),
        ).toBe(inside);
      }),
      { numRuns: 100 },
    );
  });

  it("a pass makes every fold smaller than what it replaces, and keeps the ids of what it rewrites", () => {
    fc.assert(
      fc.property(history, arbitrary, (messages, { run }) => {
        const { folds, messages: after } = run(messages);
        const single = folds.filter(({ kind }) => kind !== "summary" && kind !== "trim");
        expect(single.filter((fold) => fold.tokensAfter >= fold.tokensBefore)).toEqual([]);
        const known = new Set([...messages.map(({ id }) => id), ...folds.map(({ id }) => id)]);
        expect(after.filter(({ id }) => !known.has(id))).toEqual([]);
      }),
      runs,
    );
  });
});

describe("a sequence of passes over a growing thread", () => {
  const sequence = fc.array(fc.tuple(fc.nat(6), anyPass), { minLength: 1, maxLength: 8 });

  it("a sequence of passes is undone by unfold, never writes a file twice, and adds nothing that a provider refuses", async () => {
    await fc.assert(
      fc.asyncProperty(history, sequence, async (thread, steps) => {
        const archive = new Map<string, string>();
        let context: readonly BaseMessage[] = [];
        let at = 0;
        for (const [more, { run }] of steps) {
          context = [...context, ...thread.slice(at, at + more)];
          at = Math.min(thread.length, at + more);
          const rewrite = run(context);
          recordWrites(archive, rewrite.writes);
          expect(addedIllegalities(context, rewrite.messages)).toEqual([]);
          context = rewrite.messages;
        }
        const opened = await unfold(context, readerOf(archive));
        expect(images(opened)).toEqual(images(thread.slice(0, at)));
      }),
      { numRuns: 200 },
    );
  });

  it("unfold restores the thread when folds were opened between passes, by one, some or all levels", async () => {
    const opening = fc.tuple(fc.nat(6), anyPass, fc.nat(9), fc.constantFrom(1, 2, Infinity));
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(history, fc.array(opening, { minLength: 2, maxLength: 8 }), async (thread, steps) => {
        const archive = new Map<string, string>();
        let context: readonly BaseMessage[] = [];
        let at = 0;
        for (const [more, { run }, which, levels] of steps) {
          context = [...context, ...thread.slice(at, at + more)];
          at = Math.min(thread.length, at + more);
          const rewrite = run(context);
          recordWrites(archive, rewrite.writes);
          const stood = rewrite.messages.flatMap((message) => foldOf(message) ?? []);
          const chosen = stood[which % Math.max(1, stood.length)];
          opened += chosen === undefined ? 0 : 1;
          const folds = foldNamed(chosen?.id ?? "nothing");
          context = await unfold(rewrite.messages, readerOf(archive), { folds, levels });
          expect(addedIllegalities(thread.slice(0, at), context)).toEqual([]);
        }
        expect(images(await unfold(context, readerOf(archive)))).toEqual(images(thread.slice(0, at)));
      }),
      { numRuns: 150 },
    );
    expect(opened).toBeGreaterThan(40);
  });

  it("repeated trims keep the first and the latest user message word for word, and every pinned message", () => {
    const summaries = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), passes.summary), { maxLength: 5 });
    fc.assert(
      fc.property(history, summaries, (thread, steps) => {
        const pinned = thread.filter((_, index) => index % 5 === 3);
        const pin: Pin = ({ id }) => pinned.some((one) => one.id === id);
        let context: readonly BaseMessage[] = [];
        let at = 0;
        for (const [more] of steps) {
          context = [...context, ...thread.slice(at, at + more)];
          at += more;
          const plan = planFor(context, { keep: { messages: 1 }, pin, userTokens: 0 });
          context = plan === undefined ? context : trimToArchive(plan, { tokenCounter }).messages;
        }
        const said = thread.slice(0, at);
        const users = said.filter((message) => message.getType() === "human");
        const kept = [...users.slice(0, 1), ...users.slice(-1), ...said.filter(pin)];
        expect(kept.filter((message) => !context.includes(message))).toEqual([]);
      }),
      runs,
    );
  });
});

const everyCall: Pin = (message) => toolCalls(message).length > 0;

describe("after a host has removed the user's messages", () => {
  it("no summary makes a call the first message of a context that began with a stand-in", () => {
    let begun = 0;
    fc.assert(
      fc.property(history, fc.nat(100), (thread, at) => {
        const points = cutPoints(thread).filter((point) => point <= unseenStart(thread));
        const first = planSummary(thread, { cut: points[at % points.length] ?? 0 });
        fc.pre(first !== undefined);
        const folded = trimToArchive(first, { tokenCounter }).messages;
        const left = folded.filter((message) => !isUserMessage(message) && message.getType() !== "system");
        fc.pre(left[0] !== undefined && isSummary(left[0]));
        const plan = planFor(left, { keep: { messages: 1 }, pin: everyCall, userTokens: 0 });
        if (plan === undefined) return;
        begun++;
        const refused = illegalities(trimToArchive(plan, { tokenCounter }).messages);
        expect(refused.filter((one) => one.includes("before any user message"))).toEqual([]);
      }),
      { numRuns: 200 },
    );
    expect(begun).toBeGreaterThan(15);
  });
});

describe("a summary plan", () => {
  it("a summary plan never folds what the model has not seen", () => {
    fc.assert(
      fc.property(history, planArbitrary, (messages, options) => {
        const folded = planFor(messages, options)?.folded ?? [];
        const unseen = new Set(messages.slice(unseenStart(messages)));
        expect(folded.filter((message) => unseen.has(message))).toEqual([]);
        const newest = messages.findLastIndex((message) => message.getType() === "ai");
        const behind = new Set(messages.slice(newest + 1));
        expect(folded.filter((message) => behind.has(message))).toEqual([]);
      }),
      runs,
    );
  });

  it("a summary plan puts every message into exactly one part, in order, at every legal cut point", () => {
    fc.assert(
      fc.property(history, fc.nat(50), pinArbitrary, (messages, at, pin) => {
        const points = cutPoints(messages);
        const cut = points[at % points.length] ?? 0;
        const plan = planSummary(messages, { cut, pin });
        fc.pre(plan !== undefined);
        expect([...plan.head, ...plan.region, ...plan.tail]).toEqual(messages);
        const inRegion = (message: BaseMessage) => plan.region.indexOf(message);
        expect([...plan.carried, ...plan.folded].toSorted((a, b) => inRegion(a) - inRegion(b))).toEqual(
          plan.region,
        );
        expect(plan.carried.filter(isSummary).filter((message) => pin?.(message) !== true)).toEqual([]);
      }),
      runs,
    );
  });
});

/** Freezes the fields of a message, except typed arrays, which cannot be frozen. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) {
    return value;
  }
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}
