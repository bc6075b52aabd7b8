import type { BaseMessage } from "@langchain/core/messages";
import { HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldKwargs } from "../folds/fold.js";
import { offloadContent } from "../passes/offload-large-tool-results.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { withIds } from "../messages/message-id.js";
import { historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { cutPoints, foldRules } from "./cut-rules.js";
import { cutAbove, findCutoff, isKeptWhole, unseenStart } from "./find-cutoff.js";

const tokenCounter = estimateTokens;
const calls = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`c${k}`, ["ls"] as const]));
const results = Object.keys(calls).map((id) => talk.result(`r${id}`, id, "word ".repeat(100)));
const wide = [
  talk.human("h1", "find it"),
  talk.ai("a1", "looking"),
  talk.human("h2", "go on"),
  talk.calls("c", calls),
  ...results,
  talk.ai("a2", "found"),
];

/** Behind what the model has seen, and before the newest message. */
const lastCut = (messages: readonly BaseMessage[]) =>
  Math.max(0, Math.min(unseenStart(messages), messages.length - 1));

describe("findCutoff", () => {
  it("keeps at least the requested messages, and never splits ten parallel calls", () => {
    expect(findCutoff(wide, { keep: { messages: 1 }, tokenCounter })).toBe(14);
    expect(findCutoff(wide, { keep: { messages: 5 }, tokenCounter })).toBe(3);
    expect(findCutoff(wide, { keep: { messages: 12 }, tokenCounter })).toBe(3);
    expect(findCutoff(wide, { keep: { messages: 13 }, tokenCounter })).toBe(2);
    expect(findCutoff(wide, { keep: { messages: 99 }, tokenCounter })).toBe(0);
  });

  it("keeps at most the requested tokens", () => {
    expect(findCutoff(wide, { keep: { tokens: 20 }, tokenCounter })).toBe(14);
    expect(findCutoff(wide, { keep: { tokens: 500 }, tokenCounter })).toBe(14);
    expect(findCutoff(wide, { keep: { tokens: tokenCounter(wide.slice(3)) }, tokenCounter })).toBe(3);
    expect(findCutoff(wide, { keep: { tokens: 99_999 }, tokenCounter })).toBe(0);
  });

  it("keeps what the largest of several keeps, in any order", () => {
    const turns = { turns: 1 };
    const messages = { messages: 12 };
    const tokens = { tokens: 20 };
    for (const keep of [
      [turns, messages, tokens],
      [tokens, messages, turns],
    ])
      expect(findCutoff(wide, { keep, tokenCounter })).toBe(3);
    expect(findCutoff(wide, { keep: [turns, tokens], tokenCounter })).toBe(14);
    const all = [turns, { fraction: 1 }];
    expect(isKeptWhole(wide, { keep: all, contextWindow: 99_999, tokenCounter })).toBe(true);
    expect(findCutoff(wide, { keep: all, contextWindow: 99_999, tokenCounter })).toBe(0);
  });

  it("keeps a share of the window", () => {
    expect(findCutoff(wide, { keep: { fraction: 0.1 }, contextWindow: 200, tokenCounter })).toBe(14);
    expect(findCutoff(wide, { keep: { fraction: 0.1 }, contextWindow: 999_990, tokenCounter })).toBe(0);
  });

  it("finds without cut points that all is kept exactly where the cut points show it", () => {
    let whole = 0;
    const amount = fc.integer({ min: 1, max: 3_000 });
    fc.assert(
      fc.property(historyArbitrary(), fc.option(amount), (messages, chosen) => {
        const tokens = chosen ?? tokenCounter(messages);
        const legal = cutPoints(messages, foldRules).filter((index) => index <= lastCut(messages));
        const start = messages.findIndex((_, index) => tokenCounter(messages.slice(index)) <= tokens);
        const first = legal.find((index) => index >= (start < 0 ? messages.length : start));
        const keep = { tokens };
        expect(findCutoff(messages, { keep, tokenCounter })).toBe(first ?? legal.at(-1));
        const isWhole = isKeptWhole(messages, { keep, tokenCounter });
        expect(isWhole).toBe(start === 0 || messages.length === 0);
        whole += Number(isWhole);
      }),
    );
    expect(whole).toBeGreaterThan(20);
  });

  it("never cuts into messages that the model has not seen", () => {
    const unseen = wide.slice(0, -1);
    expect(findCutoff(unseen, { keep: { tokens: 1 }, tokenCounter })).toBe(3);
    expect(findCutoff([talk.human("h", "x")], { keep: { tokens: 1 }, tokenCounter })).toBe(0);
    expect(findCutoff([], { keep: { messages: 1 }, tokenCounter })).toBe(0);
  });

  it("keeps the newest message, however long: it is the answer that the host reads", () => {
    const answered = [...wide, talk.human("h3", "all of it"), talk.ai("a3", "word ".repeat(3_000))];
    expect(findCutoff(answered, { keep: { tokens: 20 }, tokenCounter })).toBe(16);
    expect(findCutoff(answered, { keep: { messages: 0 }, tokenCounter })).toBe(16);
  });

  it("returns a legal cut point that satisfies the keep", () => {
    const amount = fc.integer({ min: 1, max: 3_000 });
    fc.assert(
      fc.property(historyArbitrary(), amount, (messages, tokens) => {
        const byTokens = findCutoff(messages, { keep: { tokens }, tokenCounter });
        const byMessages = findCutoff(messages, { keep: { messages: tokens % 20 }, tokenCounter });
        const points = cutPoints(messages).filter((point) => point <= lastCut(messages));
        expect(points).toContain(byTokens);
        expect(points).toContain(byMessages);
        expect(byMessages).toBeLessThanOrEqual(Math.max(0, messages.length - (tokens % 20)));
        const earlier = points.findLast((point) => point < byTokens);
        const more = earlier === undefined ? Infinity : tokenCounter(messages.slice(earlier));
        expect(more).toBeGreaterThan(tokens);
        const later = points.find((point) => point > byTokens);
        const fits = tokenCounter(messages.slice(byTokens)) <= tokens;
        expect(fits || later === undefined).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

const calling = talk.calls("c", { a: ["ls"], b: ["ls"] });
const result = talk.result("r", "a", "x");
const human = talk.human("h", "x");
const answer = talk.ai("e", "done");

describe("unseenStart", () => {
  it.each([
    ["nothing was seen before the model spoke", [human, human], 0],
    ["what the model answered to was seen", [human, answer], 2],
    ["a new question was not", [human, answer, human], 2],
    ["waiting results take the message that called them along", [human, calling, result], 1],
    ["also after a new question", [human, calling, result, human], 1],
    ["a call without results yet was the model's own", [human, calling], 2],
    ["results that were answered to were seen", [human, calling, result, answer], 4],
    ["an empty list has nothing", [], 0],
  ])("%s", (_, messages, expected) => {
    expect(unseenStart(messages)).toBe(expected);
  });
});

describe("after the fold of the model's last message", () => {
  const thread = [talk.human("h1", "first"), calling, result, talk.human("h2", "second"), answer];
  /** Folds all of the thread that is not pinned. */
  function folded(pin: (message: { id?: string | undefined }) => boolean = () => false) {
    const plan = planSummary(thread, { cut: thread.length, pin });
    if (plan === undefined) throw new Error("nothing to fold");
    return applySummary(plan, { text: "It is done.", tokenCounter: estimateTokens }).messages;
  }

  it("the covered and the carried messages are seen, and a new question is not", () => {
    const context = folded();
    expect(context.map((message) => message.getType())).toEqual(["human", "human", "human"]);
    expect(unseenStart(context)).toBe(3);
    expect(unseenStart([...context, talk.human("h3", "third")])).toBe(3);
  });

  it("a pinned call before the fold does not wait for the results beside it", () => {
    const context = folded(({ id }) => id === "r");
    expect(context.map(({ id }) => id).slice(0, 4)).toEqual(["h1", "c", "r", "h2"]);
    expect(unseenStart(context)).toBe(5);
  });

  it("the fold can be folded again together with a later reply", () => {
    const context = [...folded(), talk.human("h3", "third"), talk.ai("e3", "said"), talk.human("h4", "now")];
    expect(planSummary(context, { cut: unseenStart(context) })?.folded.map(({ id }) => id)).toEqual([
      context[2]?.id,
      "e3",
    ]);
  });

  it("a result that was shortened in place is still unseen", () => {
    const long = talk.result("r", "a", "line\n".repeat(500));
    const short = offloadContent(long)?.message ?? long;
    expect(short).not.toBe(long);
    expect(unseenStart([human, calling, short])).toBe(1);
    expect(unseenStart([short])).toBe(0);
  });

  it("a record of steps is unseen as the newest message, and seen behind a reply", () => {
    const path = "/context/steps/runs/1-2.md";
    const fold = {
      id: "run",
      kind: "chunk",
      path,
      covers: ["c", "r"],
      tokensBefore: 9,
      tokensAfter: 3,
    } as const;
    const record = new HumanMessage({ id: "run", content: "steps", additional_kwargs: foldKwargs(fold) });
    expect(unseenStart([human, record])).toBe(1);
    expect(unseenStart([human, record, answer])).toBe(3);
    expect(unseenStart([record, human])).toBe(1);
  });
});

describe("cutAbove", () => {
  it("returns the index of the message when a cut there is legal, or the nearest legal point before it", () => {
    expect(cutAbove(wide, "h2")).toBe(2);
    expect(cutAbove(wide, "a2")).toBe(14);
    expect(cutAbove(wide, "rc3")).toBe(3);
  });

  it("names the unknown id in the error", () => {
    expect(() => cutAbove(wide, "nobody")).toThrow('No message of the context has the id "nobody"');
  });

  it("returns a legal point at or before the message that leaves unseen messages alone, in any history", () => {
    const history = historyArbitrary({ maxTurns: 3 }).map((messages) => withIds(messages));
    fc.assert(
      fc.property(history, fc.nat(40), (messages, at) => {
        const index = at % Math.max(1, messages.length);
        const id = messages[index]?.id;
        fc.pre(id !== undefined);
        const cut = cutAbove(messages, id);
        expect(cutPoints(messages, foldRules)).toContain(cut);
        expect(cut).toBeLessThanOrEqual(Math.min(index, unseenStart(messages)));
      }),
    );
  });
});
