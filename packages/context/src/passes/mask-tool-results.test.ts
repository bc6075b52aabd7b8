import { describe, expect, it } from "vitest";
import { foldOf } from "../folds/fold.js";
import { messageText } from "../messages/text.js";
import { talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { maskToolResults } from "./mask-tool-results.js";
import { offloadLargeToolResults } from "./offload-large-tool-results.js";

const long = "a line of what the tool returned\n".repeat(100);
const step = (n: number) => [
  talk.calls(`c${n}`, { [`${n}a`]: ["ls"], [`${n}b`]: ["ls"] }),
  talk.result(`${n}ra`, `${n}a`, `${n} ${long}`),
  talk.result(`${n}rb`, `${n}b`, "short"),
];
const thread = [talk.human("h", "go"), ...step(1), ...step(2), ...step(3), talk.ai("e", "done")];
const masked = (messages: readonly (typeof thread)[number][]) =>
  messages.filter((message) => foldOf(message)?.kind === "mask").map(({ id }) => id);

function freed(freeTokens: number): { readonly masked: readonly string[]; readonly tokens: number } {
  const { messages, folds } = maskToolResults(thread, { keepSteps: 0, freeTokens });
  return {
    masked: folds.flatMap(({ covers }) => covers),
    tokens: estimateTokens(thread) - estimateTokens(messages),
  };
}

describe("maskToolResults", () => {
  it("masks all but the newest steps, and keeps results that are shorter than the line", () => {
    const { messages, folds } = maskToolResults(thread, { keepSteps: 1 });
    expect(folds.map(({ covers }) => covers)).toEqual([["1ra"], ["2ra"]]);
    expect(messageText(messages[2] as (typeof thread)[number])).toBe(
      `[Result of an earlier step: ${folds[0]?.path}]`,
    );
    expect(messages.map(({ id }) => id)).toEqual(thread.map(({ id }) => id));
  });

  it.each([
    [0, ["1ra", "2ra", "3ra"]],
    [2, ["1ra"]],
    [3, []],
    [10, []],
  ])("keeps the results of the newest %i steps", (keepSteps, expected) => {
    expect(maskToolResults(thread, { keepSteps }).folds.flatMap(({ covers }) => covers)).toEqual(expected);
  });

  it("masks the oldest results first, and no more than free the tokens asked for", () => {
    const one = freed(1);
    expect(one.masked).toEqual(["1ra"]);
    expect(freed(one.tokens).masked).toEqual(["1ra"]);
    expect(freed(one.tokens + 1).masked).toEqual(["1ra", "2ra"]);
    expect(freed(0).masked).toEqual([]);
    expect(freed(Infinity).masked).toEqual(["1ra", "2ra", "3ra"]);
  });

  it("counts of an offloaded result only what the context shows of it as freed", () => {
    const offloaded = offloadLargeToolResults(thread, { offloadTokens: 100 }).messages;
    const all =
      estimateTokens(offloaded) - estimateTokens(maskToolResults(offloaded, { keepSteps: 0 }).messages);
    const { folds } = maskToolResults(offloaded, { keepSteps: 0, freeTokens: all });
    expect(folds.flatMap(({ covers }) => covers)).toEqual(["1ra", "2ra", "3ra"]);
  });

  it("never masks unseen or pinned results", () => {
    const running = thread.slice(0, -1);
    expect(maskToolResults(running, { keepSteps: 0 }).folds.flatMap(({ covers }) => covers)).toEqual([
      "1ra",
      "2ra",
    ]);
    const pin = { keepSteps: 0, pin: ({ id }: { id?: string | undefined }) => id === "1ra" };
    expect(maskToolResults(thread, pin).folds.flatMap(({ covers }) => covers)).toEqual(["2ra", "3ra"]);
  });

  it("shortens an offloaded result to its line and keeps its file", () => {
    const offloaded = offloadLargeToolResults(thread, { offloadTokens: 100 });
    const { messages, writes, folds } = maskToolResults(offloaded.messages, { keepSteps: 0 });
    expect(folds.map(({ path }) => path)).toEqual(offloaded.folds.map(({ path }) => path));
    expect(writes).toEqual([]);
    expect(masked(messages as typeof thread)).toEqual(["1ra", "2ra", "3ra"]);
  });

  it("returns the same list when there is nothing to mask", () => {
    expect(maskToolResults(thread).messages).toBe(thread);
  });

  it("quotes lines of the results within findingCharacters, and none that a newer line supersedes", () => {
    const filler = "some words that are everywhere\n".repeat(60);
    const reading = (n: number, line: string) => [
      talk.calls(`q${n}`, { [`${n}q`]: ["read"] }),
      talk.result(`${n}qr`, `${n}q`, `${filler}${line}\n${filler}`),
    ];
    const told = [
      talk.human("h", "go"),
      ...reading(1, "The gauge of Bergen stands at 1001."),
      ...reading(2, "The gauge of Bergen stands at 2002."),
      ...reading(3, "The gauge of Lisbon stands at 3003."),
      ...reading(4, "The gauge of Lisbon stands at 4004."),
      talk.ai("e", "done"),
    ];
    const textsWith = (findingCharacters: number) =>
      maskToolResults(told, { keepSteps: 1, findingCharacters })
        .messages.filter((message) => foldOf(message)?.kind === "mask")
        .map((message) => messageText(message).split("\n").slice(1));
    expect(textsWith(0)).toEqual([[], [], []]);
    expect(textsWith(40)).toEqual([[], ["“The gauge of Bergen stands at 2002.”"], []]);
    expect(textsWith(400).flat()).not.toContain("“The gauge of Lisbon stands at 3003.”");
    expect(textsWith(400).flat().join("").length).toBeLessThan(420);
  });

  it("leaves out the quotations with which a mask would save less than half", () => {
    const lines = Array.from({ length: 16 }, (_, at) => `line ${at} has the value ${at * 7_919 + 10_007}`);
    const short = [
      talk.human("h", "go"),
      talk.calls("c", { a: ["ls"] }),
      talk.result("r", "a", lines.join("\n")),
    ];
    const { messages } = maskToolResults([...short, talk.ai("e", "done")], {
      keepSteps: 0,
      findingCharacters: 4_000,
    });
    expect(messageText(messages[2] as (typeof short)[number])).toMatch(
      /^\[Result of an earlier step: [^\n]*\]$/,
    );
  });
});
