import { describe, expect, it } from "vitest";
import { offloadContent } from "../passes/offload-large-tool-results.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { unseenStart } from "./find-cutoff.js";

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
    ["also behind a new question", [human, calling, result, human], 1],
    ["a call without results yet was the model's own", [human, calling], 2],
    ["results that were answered to were seen", [human, calling, result, answer], 4],
    ["an empty list has nothing", [], 0],
  ])("%s", (_, messages, expected) => {
    expect(unseenStart(messages)).toBe(expected);
  });
});

describe("behind the fold of the model's last message", () => {
  const thread = [talk.human("h1", "first"), calling, result, talk.human("h2", "second"), answer];
  /** Folds all of the thread that is not pinned. */
  function folded(pin: (message: { id?: string | undefined }) => boolean = () => false) {
    const plan = planSummary(thread, { cut: thread.length, pin });
    if (plan === undefined) throw new Error("nothing to fold");
    return applySummary(plan, { text: "It is done.", tokenCounter: estimateTokens }).messages;
  }

  it("what the fold covers and what it carries was seen, and a new question was not", () => {
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

  it("can be folded again with what the model says then", () => {
    const context = [...folded(), talk.human("h3", "third"), talk.ai("e3", "said"), talk.human("h4", "now")];
    expect(planSummary(context, { cut: unseenStart(context) })?.folded.map(({ id }) => id)).toEqual([
      context[2]?.id,
      "e3",
    ]);
  });

  it("a result that was only shortened where it stands is still unseen", () => {
    const long = talk.result("r", "a", "line\n".repeat(500));
    const short = offloadContent(long)?.message ?? long;
    expect(short).not.toBe(long);
    expect(unseenStart([human, calling, short])).toBe(1);
    expect(unseenStart([short])).toBe(0);
  });
});
