import { describe, expect, it } from "vitest";
import { applySummary } from "./apply-summary.js";
import { dropStaleReads } from "./drop-stale-reads.js";
import { estimateTokens } from "./estimate-tokens.js";
import { maskToolResults } from "./mask-tool-results.js";
import { measureContext } from "./measure-context.js";
import { offloadLargeToolResults } from "./offload-large-tool-results.js";
import { offloadLargeUserMessages } from "./offload-large-user-messages.js";
import { planSummary } from "./plan-summary.js";
import type { Rewrite } from "./rewrite.js";
import { talk } from "./testing/index.js";
import { truncateToolInputs } from "./truncate-tool-inputs.js";

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

describe("measureContext", () => {
  it("estimates, and says so, while no provider has reported anything", () => {
    const options = { tokenCounter, systemPrompt: "Be brief.", tools: [{ name: "ls", schema: {} }] };
    const overhead = tokenCounter([], options);
    expect(measureContext([question], options)).toEqual({
      tokens: overhead + tokenCounter([question]),
      overheadTokens: overhead,
      source: "estimate",
    });
  });

  it("takes a larger overhead that is known from before", () => {
    const measured = measureContext([question], { tokenCounter, systemPrompt: "x", overheadTokens: 900 });
    expect(measured).toEqual({
      tokens: 900 + tokenCounter([question]),
      overheadTokens: 900,
      source: "estimate",
    });
  });

  it("anchors on the usage that was reported last and estimates what came after", () => {
    const later = [talk.human("h2", "and now?")];
    const last = thread.slice(-1);
    expect(measureContext([...thread, ...later], { tokenCounter })).toEqual({
      tokens: 5_000 + tokenCounter([...last, ...later]),
      overheadTokens: 5_000 - tokenCounter(thread.slice(0, -1)),
      source: "usage",
    });
    const newer = [...thread, ...later, talk.ai("e2", "done", 6_000)];
    expect(measureContext(newer, { tokenCounter })).toMatchObject({
      tokens: 6_000 + tokenCounter(newer.slice(-1)),
      source: "usage",
    });
  });

  it("ignores usage that says nothing", () => {
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

  it.each(folds)("takes usage from before %s for out of date", (_, fold) => {
    const rewrite = fold();
    expect(rewrite.folds.length).toBeGreaterThan(0);
    expect(measureContext(rewrite.messages, { tokenCounter, overheadTokens: 70 })).toEqual({
      tokens: 70 + tokenCounter(rewrite.messages),
      overheadTokens: 70,
      source: "estimate",
    });
  });

  it.each(folds)("anchors again on the first usage that is reported after %s", (_, fold) => {
    const messages = [...fold().messages, talk.human("h9", "next"), talk.ai("e9", "fine", 700)];
    expect(measureContext(messages, { tokenCounter })).toMatchObject({
      tokens: 700 + tokenCounter(messages.slice(-1)),
      source: "usage",
    });
  });

  it("keeps its anchor when what is folded came after it", () => {
    const fresh = [...thread, talk.human("h2", long.repeat(9)), talk.calls("c3", { d: ["ls"] }, 5_100)];
    const arrived = [...fresh, talk.result("rd", "d", long.repeat(9))];
    const offloaded = offloadLargeToolResults(arrived, { offloadTokens: 2_000 });
    expect(offloaded.folds).toHaveLength(1);
    expect(measureContext(offloaded.messages, { tokenCounter })).toMatchObject({
      tokens: 5_100 + tokenCounter(offloaded.messages.slice(-2)),
      source: "usage",
    });
    const pasted = offloadLargeUserMessages([...thread, talk.human("h2", long.repeat(9))], {
      userTokens: 500,
    });
    expect(pasted.folds).toHaveLength(1);
    expect(measureContext(pasted.messages, { tokenCounter }).source).toBe("usage");
  });
});
