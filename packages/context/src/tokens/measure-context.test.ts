import { AIMessage, type AIMessageFields, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rewrite } from "../folds/rewrite.js";
import { dropStaleReads } from "../passes/drop-stale-reads.js";
import { maskToolResults } from "../passes/mask-tool-results.js";
import { offloadLargeToolResults } from "../passes/offload-large-tool-results.js";
import { offloadLargeUserMessages } from "../passes/offload-large-user-messages.js";
import { truncateToolInputs } from "../passes/truncate-tool-inputs.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { talk } from "../testing/index.js";
import { estimateTokens } from "./estimate-tokens.js";
import { measureAtMost, measureContext } from "./measure-context.js";
import { tokenCounterFrom, type TokenCounter } from "./token-counter.js";

const tokenCounter = estimateTokens;
const long = "a line of what the tool returned\n".repeat(100);
const question = talk.human("h", "find it");
const read = talk.calls("c1", { a: ["read_file", { path: "a.ts" }] });
const written = talk.calls("c2", { b: ["write_file", { path: "a.ts", content: long }] });
const thread = [
  question,
  read,
  talk.result("ra", "a", long),
  written,
  talk.result("rb", "b", "ok"),
  talk.ai("e", "written", 5_000),
];

const summary = (cut: number, pin?: (id: string | undefined) => boolean): Rewrite => {
  const plan = planSummary(thread, { cut, pin: pin && (({ id }) => pin(id)) });
  if (plan === undefined) throw new Error("nothing to fold");
  return applySummary(plan, { text: "## Findings\n- it", tokenCounter });
};

const compaction = new AIMessage({
  id: "n",
  content: [{ type: "compaction", content: "They read a.ts." }] as AIMessage["content"],
  usage_metadata: { input_tokens: 90_000, output_tokens: 9, total_tokens: 90_009 },
} as unknown as AIMessageFields);

/** An answer that names its model and the tokens of its prompt. */
const said = (id: string, model_name: string, tokens: number) =>
  new AIMessage({
    id,
    content: "Seen.",
    usage_metadata: { input_tokens: tokens, output_tokens: 1, total_tokens: tokens + 1 },
    response_metadata: { model_name },
  } as unknown as AIMessageFields);

describe("measureContext of a thread that its provider compacted", () => {
  it("measureContext counts a compaction of the provider and what follows it, not what it covers", () => {
    const rest = [compaction, talk.human("h2", "go on")];
    const measured = measureContext([...thread, ...rest], { tokenCounter });
    expect(measured).toMatchObject({ tokens: tokenCounter(rest), source: "estimate" });
  });

  it("measureContext starts from the usage of the replies after a compaction of the provider, and not from its own", () => {
    const reply = talk.ai("e2", "Going on.", 4_000);
    const measured = measureContext([...thread, compaction, talk.human("h2", "go on"), reply], {
      tokenCounter,
    });
    expect(measured).toMatchObject({ tokens: 4_000 + tokenCounter([reply]), source: "usage" });
  });

  it("measureContext adds the tokens that context editing cleared to the reported input, because the counter counts them", () => {
    const cleared = tokenCounter(thread.slice(0, -1)) - 200;
    const applied_edits = [{ type: "clear_tool_uses_20250919", cleared_input_tokens: cleared }];
    const edited = new AIMessage({
      id: "e",
      content: "written",
      usage_metadata: { input_tokens: 200, output_tokens: 9, total_tokens: 209 },
      response_metadata: { context_management: { applied_edits } },
    } as unknown as AIMessageFields);
    const messages = [...thread.slice(0, -1), edited];
    const { tokens, tokenRatio } = measureContext(messages, { tokenCounter });
    expect(tokenRatio).toBeCloseTo(1, 2);
    expect(tokens).toBe(200 + tokenCounter([edited]));
  });
});

describe("measureContext", () => {
  it("estimates, and says so, while no provider has reported anything", () => {
    const options = { tokenCounter, systemPrompt: "Be brief.", tools: [{ name: "ls", schema: {} }] };
    const overhead = tokenCounter([], options);
    expect(measureContext([question], options)).toEqual({
      tokens: overhead + tokenCounter([question]),
      overheadTokens: overhead,
      tokenRatio: 1,
      source: "estimate",
    });
  });

  it("anchors on the whole prompt if the provider reports cached tokens apart from its input", () => {
    const usage_metadata = {
      input_tokens: 12,
      output_tokens: 9,
      total_tokens: 5_021,
      input_token_details: { cache_read: 5_000 },
    };
    const fields = { id: "e", content: "found", usage_metadata };
    const answer = new AIMessage(fields as unknown as AIMessageFields);
    expect(measureContext([question, answer], { tokenCounter })).toMatchObject({
      tokens: 5_012 + tokenCounter([answer]),
      source: "usage",
    });
  });

  it("uses a larger overhead from an earlier measurement", () => {
    const measured = measureContext([question], { tokenCounter, systemPrompt: "x", overheadTokens: 900 });
    expect(measured).toEqual({
      tokens: 900 + tokenCounter([question]),
      overheadTokens: 900,
      tokenRatio: 1,
      source: "estimate",
    });
  });

  it("anchors on the usage that was reported last and estimates what came after", () => {
    const short = [question, talk.ai("e", "found", 5_000)];
    const later = [talk.human("h2", "and now?")];
    expect(measureContext([...short, ...later], { tokenCounter })).toEqual({
      tokens: 5_000 + tokenCounter([...short.slice(-1), ...later]),
      overheadTokens: 5_000 - tokenCounter([question]),
      tokenRatio: 1,
      source: "usage",
    });
    const newer = [...short, ...later, talk.ai("e2", "done", 6_000)];
    expect(measureContext(newer, { tokenCounter })).toMatchObject({
      tokens: 6_000 + tokenCounter(newer.slice(-1)),
      source: "usage",
    });
  });

  it("separates the ratio of a provider that counts more from the overhead", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.integer({ min: 0, max: 9_000 }),
        fc.integer({ min: 1, max: 9 }),
        (ratio, overhead, steps) => {
          const messages: BaseMessage[] = [question];
          const reported = () => Math.round(overhead + ratio * tokenCounter(messages));
          messages.push(talk.ai("first", "I look.", reported()));
          for (let step = 0; step < steps; step++) messages.push(talk.human(`h${step}`, long.repeat(3)));
          messages.push(talk.ai("last", "Seen.", reported()));
          const measured = measureContext(messages, { tokenCounter });
          expect(measured.tokenRatio).toBeCloseTo(ratio, 2);
          expect(Math.abs(measured.overheadTokens - overhead)).toBeLessThan(10);
          expect(Math.abs(measured.tokens - reported())).toBeLessThan(10);
        },
      ),
    );
  });

  it("lets a jump of one call, whatever its size, change the ratio by no more than a bounded step", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.8, max: 1.6, noNaN: true }),
        fc.integer({ min: 0, max: 60_000 }),
        fc.integer({ min: 2, max: 9 }),
        (ratio, jump, at) => {
          const messages: BaseMessage[] = [];
          for (let step = 0; step < 10; step++) {
            messages.push(talk.human(`h${step}`, long.repeat(3)));
            const input = 5_000 + Math.round(ratio * tokenCounter(messages)) + (step < at ? 0 : jump);
            messages.push(talk.ai(`a${step}`, "Seen.", input));
          }
          const measured = measureContext(messages, { tokenCounter });
          const grown = tokenCounter(messages.slice(1, -1));
          const change = ((2 - ratio) * grown) / 9 + 2_000;
          expect(measured.tokenRatio).toBeGreaterThan(ratio - 0.01);
          expect(measured.tokenRatio).toBeLessThan(ratio + change / grown + 0.01);
        },
      ),
    );
  });

  it("hides no prompt behind a smaller ratio after the host has removed messages between two calls", () => {
    const sizes = fc.array(fc.integer({ min: 100, max: 3_000 }), { minLength: 3, maxLength: 9 });
    const removal = fc.record({ before: fc.nat({ max: 9 }), tokens: fc.integer({ min: 0, max: 9_000 }) });
    fc.assert(
      fc.property(fc.double({ min: 0.5, max: 1, noNaN: true }), sizes, removal, (ratio, lengths, removed) => {
        const messages: BaseMessage[] = [];
        const inputOf = (gone: number) => Math.ceil(10_000 + gone + ratio * tokenCounter(messages));
        for (const [step, length] of lengths.entries()) {
          messages.push(talk.human(`h${step}`, "a line of text\n".repeat(length / 5)));
          const gone = step < removed.before % lengths.length ? removed.tokens : 0;
          messages.push(talk.ai(`a${step}`, "Seen.", inputOf(gone)));
        }
        messages.push(talk.human("more", long.repeat(20)));
        expect(measureContext(messages, { tokenCounter }).tokens).toBeGreaterThan(0.97 * inputOf(0));
      }),
    );
  });

  it("takes no ratio from a prompt whose result was replaced after it was counted", () => {
    const rounds = (steps: number) => {
      const messages: BaseMessage[] = [];
      for (let step = 0; step < steps; step++) {
        messages.push(talk.human(`h${step}`, long.repeat(2)));
        messages.push(talk.ai(`a${step}`, "Seen.", Math.round(900 + 1.1 * tokenCounter(messages))));
      }
      return messages;
    };
    const call = talk.calls("c", { d: ["ls"] }, Math.round(900 + 1.1 * tokenCounter(rounds(3))));
    const shown = [...rounds(3), call, talk.result("rd", "d", long.repeat(9))];
    const seen = talk.ai("seen", "Seen.", Math.round(900 + 1.1 * tokenCounter(shown)));
    const { messages, folds } = offloadLargeToolResults([...shown, seen], { offloadTokens: 2_000 });
    const after = talk.ai("after", "Seen.", Math.round(900 + 1.1 * tokenCounter(messages)));
    expect(folds).toHaveLength(1);
    expect(measureContext([...messages, after], { tokenCounter }).tokenRatio).toBeCloseTo(1.1, 2);
  });

  it("takes no ratio at which the system prompt and tools would count less than nothing", () => {
    const messages: BaseMessage[] = [question, talk.human("h1", long.repeat(4))];
    const before = tokenCounter(messages);
    messages.push(talk.ai("first", "I look.", Math.round(0.7 * before)), talk.human("h2", long.repeat(4)));
    const whole = tokenCounter(messages);
    // The second part counts more than the first: the growth alone has the ratio 1.2.
    const reported = Math.round(0.7 * before + 1.2 * (whole - before));
    messages.push(talk.ai("last", "Seen.", reported));
    const { tokenRatio, overheadTokens } = measureContext(messages, { tokenCounter });
    expect(tokenRatio).toBeCloseTo(reported / whole, 2);
    expect(overheadTokens).toBe(0);
  });

  it("treats an under-count as a ratio and not as overhead when only one prompt has usage", () => {
    const counted = tokenCounter(thread.slice(0, -1));
    expect(counted).toBeGreaterThan(1_000);
    const last = thread.slice(0, -1);
    const said = (tokens: number) => [...last, talk.ai("e", "ok", tokens)];
    const halfMore = Math.round(1.5 * counted);
    expect(measureContext(said(halfMore), { tokenCounter }).tokenRatio).toBeCloseTo(1.5, 2);
    expect(measureContext(said(halfMore), { tokenCounter }).overheadTokens).toBeLessThan(2);
    expect(measureContext(said(counted * 10), { tokenCounter })).toMatchObject({
      tokenRatio: 2,
      overheadTokens: counted * 8,
    });
    const known = { tokenCounter, overheadTokens: 500 };
    expect(measureContext(said(500 + counted), known)).toMatchObject({ tokenRatio: 1, overheadTokens: 500 });
  });

  it("takes no ratio below 1 from one prompt: the system prompt and tools may count too much", () => {
    const reply = talk.ai("e", "ok", tokenCounter(thread.slice(0, -1)) + 100);
    const messages = [...thread.slice(0, -1), reply];
    const options = { tokenCounter, overheadTokens: 900 };
    expect(measureContext(messages, options)).toMatchObject({ tokenRatio: 1, overheadTokens: 100 });
    expect(measureContext(messages, { ...options, tokenRatio: 0.8 }).tokenRatio).toBe(0.8);
  });

  it("keeps the ratio from an earlier measurement until there is new usage", () => {
    expect(measureContext([question], { tokenCounter, tokenRatio: 1.5, overheadTokens: 100 })).toEqual({
      tokens: 100 + Math.ceil(1.5 * tokenCounter([question])),
      overheadTokens: 100,
      tokenRatio: 1.5,
      source: "estimate",
    });
  });

  it("ignores usage from before an unfold, and uses what is reported after it", () => {
    const options = { tokenCounter, unfoldedAt: "e" };
    expect(measureContext(thread, options).source).toBe("estimate");
    expect(measureContext([...thread, talk.human("h2", "and now?")], options).source).toBe("estimate");
    expect(measureContext([...thread, talk.ai("e2", "done", 6_000)], options).source).toBe("usage");
    expect(measureContext(thread, { tokenCounter, unfoldedAt: "gone" }).source).toBe("usage");
  });

  it("takes no ratio from the difference of two prompts that different models counted", () => {
    const shown = talk.human("h", long.repeat(3));
    const more = talk.human("h2", long.repeat(3));
    const counted = tokenCounter([shown]);
    const first = said("e1", "old", 2 * counted + 500);
    const messages = [shown, first, more, said("e2", "new", 500 + tokenCounter([shown, first, more]))];
    const measured = measureContext(messages, { tokenCounter, overheadTokens: 500 });
    expect(counted).toBeGreaterThan(1_000);
    expect(measured).toMatchObject({ tokenRatio: 1, overheadTokens: 500, source: "usage" });
  });

  it("scales both the overhead and the ratio by the first usage of another model", () => {
    const shown = talk.human("h", long.repeat(3));
    const before = [shown, said("e1", "old", 8_000 + Math.round(1.1 * tokenCounter([shown])))];
    const reported = Math.round(1.3 * (8_000 + 1.1 * tokenCounter(before)));
    const options = { tokenCounter, overheadTokens: 8_000, tokenRatio: 1.1 };
    const measured = measureContext([...before, said("e2", "new", reported)], options);
    expect(measured.tokenRatio).toBeCloseTo(1.43, 2);
    expect(measured.overheadTokens / 10_400).toBeCloseTo(1, 2);
  });

  it("never measures more than its upper bound, with and without usage, folds and earlier measurements", () => {
    const usage = fc.option(fc.integer({ min: 0, max: 9_000 }), { nil: undefined });
    const reports = fc.array(usage, { minLength: 1, maxLength: 9 });
    const ratio = fc.option(fc.double({ min: 0.5, max: 2, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(reports, ratio, fc.constantFrom(undefined, "a1"), (inputs, tokenRatio, unfoldedAt) => {
        const steps = inputs.flatMap((tokens, step) => [
          talk.human(`h${step}`, long.slice(0, 600 * step)),
          talk.ai(`a${step}`, "Seen.", tokens),
        ]);
        const options = { tokenCounter, tokenRatio, unfoldedAt, overheadTokens: 70 };
        for (const messages of [steps, [...summary(6).messages, ...steps]]) {
          expect(measureAtMost(messages, options)).toBeGreaterThanOrEqual(
            measureContext(messages, options).tokens,
          );
        }
      }),
    );
  });

  it("reads the newest 256 reports of a thread, however long it is", () => {
    const messages: BaseMessage[] = [];
    let [reported, calls] = [500, 0];
    for (let step = 0; step < 3_000; step++) {
      const ratio = step < 2_000 ? 2 : 1.2;
      const asked = talk.human(`h${step}`, long.slice(0, 300));
      reported += Math.round(ratio * tokenCounter([asked]));
      const reply = talk.ai(`a${step}`, "Seen.", reported);
      reported += Math.round(ratio * tokenCounter([reply]));
      messages.push(asked, reply);
    }
    const counted: TokenCounter = (list, parts) => (calls += 1) && tokenCounter(list, parts);
    const { tokenRatio } = measureContext(messages, { tokenCounter: counted, overheadTokens: 500 });
    expect(tokenRatio).toBeCloseTo(1.2, 1);
    expect(calls).toBeLessThan(340);
  });

  it("measureAtMost counts only what came after the reported usage, and no text that lengths show to be short", () => {
    const counted: string[] = [];
    const counter = tokenCounterFrom((text) => counted.push(text) && text.length, 1);
    const question2 = talk.human("h2", "and now?");
    expect(measureAtMost([...thread, question2], { tokenCounter: counter })).toBe(5_000 + 2 * (7 + 8 + 8));
    expect(counted).toEqual(["written", "and now?"]);
    expect(measureAtMost([question], { tokenCounter: counter, overheadTokens: 70 })).toBe(70 + 4 + 7);
    expect(counted).toHaveLength(2);
  });

  it("ignores usage without input tokens", () => {
    expect(measureContext([question, talk.ai("a", "x", 0)], { tokenCounter }).source).toBe("estimate");
  });

  const folds: readonly [string, () => Rewrite][] = [
    ["an offload of a result it had seen", () => offloadLargeToolResults(thread, { offloadTokens: 100 })],
    ["an input", () => truncateToolInputs(thread)],
    ["a stale read", () => dropStaleReads(thread)],
    ["a mask", () => maskToolResults(thread, { keepSteps: 1 })],
    ["a summary", () => summary(5)],
    ["a summary of everything", () => summary(6)],
    ["a summary that carried the reporting message over", () => summary(6, (id) => id === "e")],
  ];

  it.each(folds)("ignores usage from before %s", (_, fold) => {
    const rewrite = fold();
    expect(rewrite.folds.length).toBeGreaterThan(0);
    expect(measureContext(rewrite.messages, { tokenCounter, overheadTokens: 70 })).toEqual({
      tokens: 70 + tokenCounter(rewrite.messages),
      overheadTokens: 70,
      tokenRatio: 1,
      source: "estimate",
    });
  });

  it.each(folds)("uses the first usage that is reported after %s", (_, fold) => {
    const messages = [...fold().messages, talk.human("h9", "next"), talk.ai("e9", "fine", 700)];
    const measured = measureContext(messages, { tokenCounter });
    const after = Math.ceil(measured.tokenRatio * tokenCounter(messages.slice(-1)));
    expect(measured).toMatchObject({ tokens: 700 + after, source: "usage" });
  });

  it("keeps usage that was reported before the folded messages", () => {
    const fresh = [...thread, talk.human("h2", long.repeat(9)), talk.calls("c3", { d: ["ls"] }, 5_100)];
    const arrived = [...fresh, talk.result("rd", "d", long.repeat(9))];
    const offloaded = offloadLargeToolResults(arrived, { offloadTokens: 2_000 });
    expect(offloaded.folds).toHaveLength(1);
    const measured = measureContext(offloaded.messages, { tokenCounter });
    const after = Math.ceil(measured.tokenRatio * tokenCounter(offloaded.messages.slice(-2)));
    expect(measured).toMatchObject({ tokens: 5_100 + after, source: "usage" });
    const pasted = offloadLargeUserMessages([...thread, talk.human("h2", long.repeat(9))], {
      maxTokens: 500,
    });
    expect(pasted.folds).toHaveLength(1);
    expect(measureContext(pasted.messages, { tokenCounter }).source).toBe("usage");
  });
});

describe("countError of measureContext", () => {
  const messages = [talk.human("q", long.repeat(6)), talk.ai("r", "Seen.", 6_000)];
  const counted = tokenCounter(messages.slice(0, -1));
  const errorAt = (expected: number, countError?: number) =>
    measureContext(messages, { tokenCounter, tokenRatio: 1, overheadTokens: expected - counted, countError })
      .countError;

  it("is the share by which the newest report passes what was expected, a quarter at most", () => {
    expect(errorAt(6_000)).toBeUndefined();
    expect(errorAt(7_000)).toBeUndefined();
    expect(errorAt(5_000)).toBeCloseTo(0.2);
    expect(errorAt(4_000)).toBe(0.25);
  });

  it("is unknown before anything was expected", () => {
    expect(measureContext(messages, { tokenCounter }).countError).toBeUndefined();
  });

  it("is remembered, less a tenth at each measurement", () => {
    expect(errorAt(6_000, 0.2)).toBeCloseTo(0.18);
  });
});
