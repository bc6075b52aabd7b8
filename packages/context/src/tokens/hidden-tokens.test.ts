import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { talk } from "../testing/index.js";
import { estimateTokens } from "./estimate-tokens.js";
import { measureContext } from "./measure-context.js";

const tokenCounter = estimateTokens;
const ratio = 1.2;
const beside = 20_000;
const text = (tokens: number) => "a line of what the tool returned\n".repeat(tokens / 7);

interface Host {
  readonly calls: number;
  /** Returns how many of the oldest results are not sent at a call. */
  readonly cleared: (call: number) => number;
  /** Results that are removed from the context before the last call. */
  readonly removed?: number;
}

/** A thread of calls that read 2,000 tokens each, whose usage lacks what the host has cleared. */
function thread({ calls, cleared, removed = 0 }: Host) {
  const messages: BaseMessage[] = [talk.human("q", "find it")];
  const results: BaseMessage[] = [];
  let reported = 0;
  for (let call = 0; call < calls; call++) {
    reported = Math.round(
      beside + ratio * (tokenCounter(messages) - tokenCounter(results.slice(0, cleared(call)))),
    );
    const result = talk.result(`r${call}`, `k${call}`, text(2_000));
    messages.push(talk.calls(`c${call}`, { [`k${call}`]: ["read", { path: "a.ts" }] }, reported), result);
    results.push(result);
  }
  const gone = new Set(results.slice(0, removed));
  const context = messages.filter((message) => !gone.has(message));
  const sent = Math.round(beside + ratio * tokenCounter(context));
  const last = removed === 0 ? [] : [talk.ai("last", "Seen.", sent)];
  return { messages: [...context, ...last], reported };
}

const atOnce = (call: number) => (call < 25 ? 0 : 15);
const fewAtATime = (call: number) => 3 * Math.max(0, Math.floor((call - 12) / 3));

describe("measureContext of a host that clears old results when it sends them", () => {
  it.each([
    ["at once", atOnce],
    ["a few at a time", fewAtATime],
  ])("keeps the overhead and the ratio when results are cleared %s", (_, cleared) => {
    for (const calls of [28, 32, 40]) {
      const { messages } = thread({ calls, cleared });
      const measured = measureContext(messages, { tokenCounter, overheadTokens: beside });
      expect(measured.overheadTokens / beside).toBeCloseTo(1, 1);
      expect(measured.tokenRatio).toBeCloseTo(ratio, 1);
    }
  });

  it("does not take what was cleared for a smaller overhead, so that a fold is not under-counted", () => {
    const { messages } = thread({ calls: 40, cleared: atOnce });
    const { overheadTokens, tokenRatio } = measureContext(messages, { tokenCounter, overheadTokens: beside });
    const folded = messages.slice(0, 9).map((message) => talk.human(`f${message.id}`, message.text));
    const measured = measureContext(folded, { tokenCounter, overheadTokens, tokenRatio });
    expect(measured.source).toBe("estimate");
    expect(measured.tokens / (beside + ratio * tokenCounter(folded))).toBeCloseTo(1, 1);
  });

  it("knows the overhead from before the clearing if nobody has measured it", () => {
    const { messages } = thread({ calls: 40, cleared: atOnce });
    expect(measureContext(messages, { tokenCounter }).overheadTokens / beside).toBeCloseTo(1, 1);
  });

  it("still takes the size of the next prompt from the newest report", () => {
    const { messages, reported } = thread({ calls: 40, cleared: atOnce });
    const measured = measureContext(messages, { tokenCounter, overheadTokens: beside });
    const added = ratio * tokenCounter(messages.slice(-2));
    expect(Math.abs(measured.tokens - reported - added)).toBeLessThan(0.03 * reported);
  });
});

describe("measureContext of a host that removes messages", () => {
  it("adds nothing to a known overhead when the prompt becomes smaller", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 15 }), (removed) => {
        const { messages } = thread({ calls: 20, cleared: () => 0, removed });
        const { overheadTokens } = measureContext(messages, { tokenCounter, overheadTokens: beside });
        expect(overheadTokens).toBeLessThan(1.01 * beside);
      }),
      { numRuns: 15 },
    );
  });
});

describe("measureContext of a prompt that loses what was beside its messages", () => {
  it("takes the overhead from the newest report", () => {
    const messages = [talk.human("q", text(9_000)), talk.ai("a", "Seen.", 60_000)];
    const input = Math.round(30_000 + tokenCounter(messages));
    messages.push(talk.human("q2", text(2_000)), talk.ai("b", "Seen.", input));
    const measured = measureContext(messages, { tokenCounter, overheadTokens: 49_000 });
    expect(measured.overheadTokens).toBeLessThan(33_000);
  });
});
