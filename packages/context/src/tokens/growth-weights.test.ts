import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { talk } from "../testing/index.js";
import { estimateTokens } from "./estimate-tokens.js";
import { addedTokens } from "./growth-weights.js";
import type { Growth } from "./usage-anchors.js";

const tokenCounter = estimateTokens;
const text = (lines: number) => "a line of what the tool returned\n".repeat(lines);

/** What a provider bills for a call with its result: a call has tokens around it, and results are denser than what the model writes. */
const billed = (reply: BaseMessage, result: BaseMessage) =>
  Math.round(90 + 0.9 * tokenCounter([reply]) + 1.3 * tokenCounter([result]));

/** Calls with results of several lengths; the first of `jumps` of them grew by much more than they show. */
function run(lengths: readonly (readonly [written: number, read: number])[], jumps = 0) {
  const messages: BaseMessage[] = [];
  const growth: Growth[] = [];
  let reported = 5_000;
  for (const [at, [written, read]] of lengths.entries()) {
    const reply = talk.calls(`c${at}`, { [`k${at}`]: ["save", { content: text(written) }] });
    const result = talk.result(`r${at}`, `k${at}`, text(read));
    const input = billed(reply, result) + (at < jumps ? 9_000 : 0);
    const from = messages.length;
    messages.push(reply, result);
    growth.push({ input, counted: tokenCounter([reply, result]), from, to: from + 2, reported });
    reported += input;
  }
  return { messages, growth, tokenCounter };
}

const steps = Array.from({ length: 30 }, (_, at) => [(at * 7) % 40, (at * 11) % 90] as const);

describe("addedTokens", () => {
  it.each([
    ["much that the model wrote", [150, 0]],
    ["a call with little around it", [0, 9]],
  ] as const)("knows better than one ratio what %s adds", (_, [written, read]) => {
    const reply = talk.calls("new", { k: ["save", { content: text(written) }] });
    const result = talk.result("r", "k", text(read));
    const real = billed(reply, result);
    const context = run(steps);
    const counted = context.growth.reduce((sum, step) => sum + step.counted, 0);
    const ratio = context.growth.reduce((sum, { input }) => sum + input, 0) / counted;
    const added = addedTokens([reply, result], context) ?? Number.NaN;
    const errorOfRatio = Math.abs((ratio * tokenCounter([reply, result])) / real - 1);
    expect(errorOfRatio).toBeGreaterThan(0.1);
    expect(Math.abs(added / real - 1)).toBeLessThan(errorOfRatio / 2);
  });

  it("is not moved by calls with jumps", () => {
    const reply = talk.calls("new", { k: ["read", {}] });
    const result = talk.result("r", "k", text(100));
    const added = addedTokens([reply, result], run(steps, 3)) ?? Number.NaN;
    expect(Math.abs(added / billed(reply, result) - 1)).toBeLessThan(0.05);
  });

  it("is unknown while the prompts have grown too little", () => {
    expect(addedTokens([talk.human("h", "x")], run(steps.slice(0, 2)))).toBeUndefined();
    expect(addedTokens([], run(steps.slice(0, 2)))).toBeUndefined();
  });

  it("is between half and twice the count, whatever was reported", () => {
    for (const factor of [-4, 0, 0.1, 7, 1e9]) {
      const { messages, growth } = run(steps);
      const grown = growth.map((step) => ({ ...step, input: Math.round(step.input * factor) }));
      const added = [talk.ai("a", text(20)), talk.human("h", text(50))];
      const counted = tokenCounter(added);
      const tokens = addedTokens(added, { messages, growth: grown, tokenCounter }) ?? counted;
      expect(tokens).toBeGreaterThanOrEqual(counted / 2);
      expect(tokens).toBeLessThanOrEqual(2 * counted);
    }
  });
});
