import { AIMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverGreedily } from "../certificate/cover-greedily.js";
import { cutPoints, foldRules } from "../cuts/cut-rules.js";
import { findCutoff, unseenStart } from "../cuts/find-cutoff.js";
import { withIds } from "../messages/message-id.js";
import type { Keep } from "../options.js";
import { planVerbatim } from "../passes/plan-verbatim.js";
import { reuseLikelihoods } from "../selection/reuse-likelihoods.js";
import { planSummary } from "../summary/plan-summary.js";
import { historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { markerFamilies } from "./epistemic-markers.js";
import { chooseVerbatim, markerThreshold } from "./choose-verbatim.js";
import { reuseImportance } from "../selection/reuse-likelihoods.js";
import { tfIdfImportance } from "./importance.js";
import { isPinned, pin, pinOf } from "./pin.js";

const tokenCounter = estimateTokens;
const step = (at: number, path: string, content: string) => [
  talk.calls(`c${at}`, { [`k${at}`]: ["read_file", { path }] }),
  talk.result(`r${at}`, `k${at}`, content),
];
const thread = [
  talk.human("h1", "Port the parser."),
  ...step(1, "AGENTS.md", "Rules of the house"),
  ...step(2, "src/parser.ts", "const parserState42 = open();"),
  talk.ai("e1", "Wait, perhaps I was wrong about the lexer. Let me verify."),
  talk.ai("e2", "All tests pass."),
  talk.human("h2", "Go on."),
  talk.ai("e3", "Done."),
];

describe("a pin", () => {
  it("pin returns a marked copy that every summary keeps", () => {
    const marked = pin(talk.ai("e1", "the one number is 42"));
    expect(isPinned(marked)).toBe(true);
    expect(marked).toBeInstanceOf(AIMessage);
    const messages = [talk.human("h", "Go"), marked, talk.ai("e2", "more"), talk.ai("e3", "and more")];
    const predicate = pinOf(messages, {});
    expect(planSummary(messages, { cut: 3, pin: predicate })?.carried).toContain(marked);
    expect(isPinned(talk.ai("e", "x"))).toBe(false);
  });

  it.each<[string, Parameters<typeof pinOf>[1], readonly string[]]>([
    ["a tool", { pinTools: ["read_file"] }, ["c1", "r1", "c2", "r2"]],
    ["a file", { pinFiles: ["AGENTS.md"] }, ["c1", "r1"]],
    ["files that match a glob", { pinFiles: ["**/parser.ts"] }, ["c2", "r2"]],
    ["a predicate", { pin: ({ id }) => id === "e2" }, ["e2"]],
  ])("pinOf selects the messages of %s", (_, options, expected) => {
    const predicate = pinOf(thread, options);
    expect(thread.filter((message) => predicate?.(message)).map(({ id }) => id)).toEqual(expected);
  });

  it("pinOf returns undefined when no message is pinned", () => {
    expect(pinOf(thread, {})).toBeUndefined();
    expect(pinOf(thread, { pinFiles: ["parser.ts"] })).toBeUndefined();
  });
});

function cutoff(keep: Keep): number {
  return findCutoff(thread, { keep, tokenCounter });
}

describe("keep", () => {
  it("findCutoff counts a model message with its results as one turn", () => {
    expect(cutoff({ turns: 1 })).toBe(8);
    expect(cutoff({ turns: 4 })).toBe(3);
    expect(cutoff({ turns: 99 })).toBe(0);
  });
});

describe("markers of doubt", () => {
  it("markerFamilies counts each family of markers once, and markerThreshold depends on the task", () => {
    expect(markerFamilies("Wait, perhaps I was wrong. Let me verify, but wait.")).toBe(5);
    expect(markerFamilies("perhaps perhaps perhaps")).toBe(1);
    expect(markerThreshold({})).toBe(3);
    expect(markerThreshold({ task: "epic" })).toBe(1);
    expect(markerThreshold({ task: "simple", profile: { verbosity: "verbose" } })).toBe(1);
    expect(markerThreshold({ task: "simple", profile: { deliberation: "deliberative" } })).toBe(1);
    expect(markerThreshold({ profile: { verbosity: "terse", deliberation: "quick" } })).toBe(3);
    expect(markerThreshold({ task: "complex", density: 2 })).toBe(2);
  });

  it("chooseVerbatim keeps the messages with the most markers within the budget", () => {
    const chosen = (tokens: number) => [
      ...chooseVerbatim(thread, { cut: 7, tokens, tokenCounter, markers: {} }),
    ];
    expect(chosen(1_000)).toEqual(["e1"]);
    expect(chosen(1)).toEqual([]);
    const all = chooseVerbatim(thread, { cut: 7, tokens: 1_000, tokenCounter, markers: { density: 0.5 } });
    expect([...all]).toEqual(["e1"]);
  });
});

const scoring = (scores: readonly number[]) => () => scores;

describe("importance", () => {
  it("chooseVerbatim chooses calls with their results by importance within the budget", () => {
    const scores = [0, 0, 9, 0, 5, 1, 1];
    const importance = () => scores;
    const chosen = (tokens: number) => [
      ...chooseVerbatim(thread, { cut: 7, tokens, tokenCounter, importance }),
    ];
    expect(chosen(estimateTokens(thread.slice(1, 3)))).toEqual(["c1", "r1"]);
    expect(chosen(10_000)).toEqual(["c1", "r1", "c2", "r2", "e1", "e2"]);
  });

  it("chooseVerbatim keeps an important result whole and shortens the other results of its call to one line", () => {
    const call = talk.calls("c", { a: ["read_file", { path: "a" }], b: ["read_file", { path: "b" }] });
    const beside = talk.result("b", "b", "beside ".repeat(500));
    const wanted = talk.result("a", "a", "The key is 4711.");
    const messages = [
      talk.human("h", "Go."),
      call,
      wanted,
      beside,
      talk.ai("e", "Done."),
      talk.human("g", "On."),
    ];
    const importance = scoring([0, 0, 1, 0, 0, 0]);
    const tokens = estimateTokens([call, wanted]) + 100;
    expect([...chooseVerbatim(messages, { cut: 5, tokens, tokenCounter, importance })]).toEqual(["c", "a"]);
    const planned = planVerbatim(messages, { cut: 5, tokens, tokenCounter, importance });
    expect(planned?.plan.carried.map(({ text }) => text)).toEqual([
      "Go.",
      "",
      "The key is 4711.",
      expect.stringMatching(/^\[Result of an earlier step: \/context\/results\//) as string,
    ]);
    expect(planned?.plan.region).toContain(beside);
    expect(planned?.shortened.writes.map(({ content }) => content)).toEqual([beside.content]);
  });

  it("chooseVerbatim chooses messages before the cut ahead of messages after it", () => {
    const importance = scoring([0, 0, 1, 0, 0, 5, 0, 0]);
    const tokens = estimateTokens(thread.slice(1, 3));
    const choose = (cut: number) => [
      ...chooseVerbatim(thread, { cut, end: 8, tokens, tokenCounter, importance }),
    ];
    expect(choose(3)).toEqual(["c1", "r1"]);
    expect(choose(8)).toEqual(["e1"]);
  });

  it("messages kept by importance never exceed their budget, for any history", () => {
    let promotions = 0;
    fc.assert(
      fc.property(historyArbitrary(), fc.integer({ min: 1, max: 2_000 }), (generated, tokens) => {
        const messages = withIds(generated);
        const cut = cutPoints(messages, foldRules).findLast((point) => point <= unseenStart(messages)) ?? 0;
        const bare = planSummary(messages, { cut, tokenCounter });
        const planned = planVerbatim(messages, { cut, tokens, tokenCounter, importance: reuseImportance });
        expect(planned === undefined).toBe(bare === undefined);
        promotions += planned?.promoted.size ?? 0;
        const added = tokenCounter(planned?.plan.carried ?? []) - tokenCounter(bare?.carried ?? []);
        expect(added).toBeLessThanOrEqual(tokens);
      }),
      { numRuns: 200 },
    );
    expect(promotions).toBeGreaterThan(5);
  });

  it("tfIdfImportance and reuseImportance score every message of a thread", () => {
    expect(tfIdfImportance(thread)).toHaveLength(thread.length);
    const scores = reuseImportance(thread);
    expect(scores[4]).toBeGreaterThan(scores[6] ?? Infinity);
  });

  it("tfIdfImportance leaves room free rather than filling it with what says nothing", () => {
    const said = Array.from({ length: 30 }, (_, at) => talk.ai(`e${at}`, `Step ${at} done.`));
    const fact = talk.ai(
      "fact",
      "The staging database moved to port 5433 after the outage in March; ask Ines first.",
    );
    const messages = [talk.human("h", "Go."), ...said, fact, talk.human("g", "On.")];
    const options = { cut: messages.length - 1, tokens: 5_000, tokenCounter, importance: tfIdfImportance };
    expect([...chooseVerbatim(messages, options)]).toEqual(["fact"]);
  });

  it("a message stays that fits into the room which the chosen ones leave", () => {
    const call = talk.calls("c", { a: ["read_file", { path: "a" }], b: ["read_file", { path: "b" }] });
    const results = [talk.result("a", "a", "The key is 4711."), talk.result("b", "b", "beside ".repeat(500))];
    const memo = talk.ai("memo", "Only Marek can thaw the invoices of 2019 from the cold bucket. ".repeat(6));
    const messages = [
      talk.human("h", "Go."),
      call,
      ...results,
      memo,
      talk.ai("e", "Done."),
      talk.human("g", "On."),
    ];
    const importance = scoring([0, 0, 1, 0, 0.5, 0, 0]);
    const plan = (tokens: number) => planVerbatim(messages, { cut: 6, tokens, tokenCounter, importance });
    const both = plan(10_000);
    expect(both?.promoted).toEqual(new Set(["c", "a", "memo"]));
    const bare = planSummary(messages, { cut: 6, tokenCounter });
    const needed = tokenCounter(both?.plan.carried ?? []) - tokenCounter(bare?.carried ?? []);
    expect(plan(needed)?.promoted).toEqual(both?.promoted);
    expect(plan(needed - 1)?.promoted).toEqual(new Set(["c", "a"]));
  });

  it("reuseLikelihoods ranks a string that a call used above one that was only shown", () => {
    const weights = reuseLikelihoods([
      talk.calls("c", { a: ["grep", { pattern: "parserState42" }] }),
      talk.result("r", "a", "lexerState43 is here"),
    ]);
    expect(weights.get("parserState42")).toBeGreaterThan(weights.get("lexerState43") ?? Infinity);
  });

  it("reuseLikelihoods ranks text that an edit replaced below current text", () => {
    const edit = { path: "a.ts", old_string: "const before_edit = 1;", new_string: "const after_edit = 2;" };
    const weights = reuseLikelihoods([
      talk.calls("c", { a: ["edit_file", edit] }),
      talk.result("r", "a", "ok"),
    ]);
    expect(weights.get("after_edit")).toBeGreaterThan(weights.get("before_edit") ?? Infinity);
  });
});

function candidate(group: number, atoms: readonly string[], cost = 10) {
  return { group, heading: "", lines: [atoms.join(" ")], atoms, cost };
}

describe("coverGreedily", () => {
  const weights = new Map([
    ["a", 3],
    ["b", 2],
    ["c", 1],
  ]);

  it("coverGreedily counts a repeated string once and stays within the budget", () => {
    const chosen = coverGreedily(
      [candidate(0, ["a"]), candidate(1, ["a", "b"]), candidate(2, ["c"]), candidate(3, ["d"])],
      weights,
      30,
    );
    expect(chosen.map(({ atoms }) => atoms)).toEqual([["a", "b"], ["c"]]);
    expect(coverGreedily([candidate(0, ["a"]), candidate(1, ["b"])], weights, 15)).toHaveLength(1);
    expect(coverGreedily([], weights, 15)).toEqual([]);
  });

  it("coverGreedily writes a heading before the lines of each message", () => {
    const one = { ...candidate(1, ["a"]), heading: "From a.ts:" };
    const two = { ...candidate(1, ["b"]), heading: "From a.ts:" };
    expect(coverGreedily([one, two], weights, 100).flatMap(({ lines }) => lines)).toEqual([
      "From a.ts:",
      "a",
      "b",
    ]);
  });
});
