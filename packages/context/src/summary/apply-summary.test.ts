import { describe, expect, it } from "vitest";
import { foldOf } from "../folds/fold.js";
import { messageText } from "../messages/text.js";
import { talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { applySummary } from "./apply-summary.js";
import { planSummary, type SummaryPlan } from "./plan-summary.js";
import { summaryNotice } from "./summary.js";

const tokenCounter = estimateTokens;
const thread = [
  talk.system("s", "rules"),
  talk.human("h", "the goal"),
  talk.calls("c", { a: ["ls"] }),
  talk.result("r", "a", "$& a file"),
  talk.ai("e", "done"),
  talk.human("h2", "next"),
];

function planOf(messages: Parameters<typeof planSummary>[0], cut: number): SummaryPlan {
  const plan = planSummary(messages, { cut, tokenCounter });
  if (plan === undefined) throw new Error("nothing to fold");
  return plan;
}

describe("applySummary", () => {
  it("a summary records the newest message of the thread, even when it folds everything that is left", () => {
    const said = thread.slice(0, 5);
    const pinned = planSummary(said, { cut: 5, tokenCounter, pin: ({ id }) => id === "e" });
    if (pinned === undefined) throw new Error("nothing to fold");
    const once = applySummary(pinned, { text: "- done", tokenCounter });
    expect(once.messages.at(-1)?.id).toBe(once.folds[0]?.id);
    const twice = applySummary(planOf(once.messages, once.messages.length), { text: "- over", tokenCounter });
    expect([...once.folds, ...twice.folds].map(({ newest }) => newest)).toEqual(["e", "e"]);
  });

  it("applySummary replaces the folded messages by one message that states its author and the path of the originals", () => {
    const { messages, writes, folds } = applySummary(planOf(thread, 5), {
      text: "## Findings\n- $& it",
      tokenCounter,
    });
    expect(messages.map(({ id }) => id)).toEqual(["s", "h", folds[0]?.id, "h2"]);
    const standIn = messages[2];
    expect(standIn?.getType()).toBe("human");
    expect(standIn && messageText(standIn)).toBe(
      `${summaryNotice}\nOriginals: ${folds[0]?.path}\n\n## Findings\n- $& it`,
    );
    expect(standIn && foldOf(standIn)).toEqual(folds[0]);
    expect(writes.map(({ path }) => path)).toEqual([folds[0]?.record, folds[0]?.path]);
    expect(folds[0]).toMatchObject({
      kind: "summary",
      covers: ["h", "c", "r", "e"],
      carried: [0],
      newest: "h2",
      generation: 1,
      tokensBefore: tokenCounter(thread.slice(2, 5)),
    });
    expect(folds[0]?.tokensAfter).toBe(tokenCounter(messages.slice(2, 3)));
  });

  it("a summary archives every folded message on its own line, and a readable file beside the record", () => {
    const { writes } = applySummary(planOf(thread, 5), { text: "x", tokenCounter });
    expect(writes[0]?.content.split("\n")).toHaveLength(5);
    expect(writes[1]?.content).toContain("## 3. tool tool `r`\n\n$& a file\n");
  });

  it("the archived messages alone determine file names and ids, not the text of the summary", () => {
    const one = applySummary(planOf(thread, 5), { text: "one", tokenCounter });
    const two = applySummary(planOf(thread, 5), { text: "two", tokenCounter });
    expect(two.writes).toEqual(one.writes);
    expect(two.folds[0]?.id).toBe(one.folds[0]?.id);
    expect(one.folds[0]?.path).toMatch(/^\/context\/history\/0001-[0-9a-f]{16}\.md$/);
  });

  it("a summary of a summary has the next generation and its own reason", () => {
    const first = applySummary(planOf(thread, 5), { text: "one", tokenCounter });
    const longer = [...first.messages, talk.ai("e2", "more"), talk.ai("e3", "more")];
    const second = applySummary(planOf(longer, 5), { text: "two", reason: "overflow", tokenCounter });
    expect(second.folds[0]).toMatchObject({ generation: 2, reason: "overflow" });
    expect(second.folds[0]?.path).toMatch(/^\/context\/history\/0002-/);
    expect(second.folds[0]?.covers).toContain(first.folds[0]?.id);
  });

  it("a summary with an empty text ends after the path of the originals", () => {
    const { messages, folds } = applySummary(planOf(thread, 5), { text: "", tokenCounter });
    expect(messages.slice(2, 3).map(messageText)).toEqual([`${summaryNotice}\nOriginals: ${folds[0]?.path}`]);
  });
});
