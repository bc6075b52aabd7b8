import { describe, expect, it } from "vitest";
import { isSummary } from "../folds/fold.js";
import { messageText } from "../messages/text.js";
import { unquoted } from "../quotations/quoted-text.js";
import { reuseOf } from "../selection/reuse-likelihoods.js";
import { planSummary } from "../summary/plan-summary.js";
import { extractSummary } from "../summary/extract-summary.js";
import { parseSummary, renderSummary } from "../summary/summary.js";
import { talk } from "../testing/index.js";
import { estimateTokens as tokenCounter } from "../tokens/estimate-tokens.js";
import { applyCertified } from "./apply-certified.js";
import type { BaseMessage } from "@langchain/core/messages";

/** Accounts that a tool returns, each of five lines. */
const accounts = Array.from({ length: 30 }, (_, at) => [
  `### acc-${1000 + at} (owner: pers-${2000 + at})`,
  `account_id: acc-${1000 + at}`,
  `bank: Bank of ${"abcdefghij".charAt(at % 10).repeat(6)} ${at}`,
  `balance: ${7919 * (at + 3)}.25`,
  "currency: USD",
]);

function compacted(messages: readonly BaseMessage[], tokens: number): readonly BaseMessage[] {
  const plan = planSummary(messages, { cut: messages.length, userTokens: 0, tokenCounter });
  if (plan === undefined) throw new Error("nothing to fold");
  const text = renderSummary(extractSummary(plan.folded));
  return applyCertified(plan, { text, tokenCounter, excerpts: { tokens, scorer: reuseOf } }).messages;
}

/** Returns the records that a context quotes a line of, and those that it quotes whole. */
function quotedAccounts(context: readonly BaseMessage[]) {
  const standIn = context.find(isSummary);
  const { findings = [], excerpts = [] } =
    parseSummary(standIn === undefined ? "" : messageText(standIn)) ?? {};
  const quoted = new Set([...findings, ...excerpts].flatMap(unquoted));
  const some = accounts.filter((lines) => lines.slice(0, 4).some((line) => quoted.has(line)));
  const whole = accounts.filter((lines) => lines.every((line) => quoted.has(line)));
  return { some, whole };
}

describe("a record in a result", () => {
  const result = accounts.map((lines) => lines.join("\n")).join("\n\n");
  const thread = [
    talk.human("h1", "Who has the highest balance, pers-2007 or pers-2011?"),
    talk.calls("c1", { a: ["grep", { path: "accounts.txt", pattern: "owner" }] }),
    talk.result("r1", "a", `30 records\n\n${result}`),
  ];

  it("is quoted whole or not at all, also by the summary of a summary", () => {
    let context = compacted(thread, 400);
    const first = quotedAccounts(context);
    expect(first.whole.length).toBeGreaterThan(2);
    expect(first.some).toEqual(first.whole);
    for (const round of [1, 2]) {
      const more = Array.from({ length: 4 }, (_, at) => [
        talk.calls(`n${round}-${at}`, { [`d${round}-${at}`]: ["note", { text: `step ${round} ${at}` }] }),
        talk.result(`nr${round}-${at}`, `d${round}-${at}`, `Noted as entry ${at}. ${"word ".repeat(600)}`),
      ]);
      context = compacted([...context, ...more.flat()], 400);
      const again = quotedAccounts(context);
      expect(again.whole.length).toBeGreaterThan(0);
      expect(again.some).toEqual(again.whole);
    }
  });

  it("that the agent writes stays apart from the call that writes it", () => {
    const written = accounts.slice(0, 3).map((lines) => lines.join("\n"));
    const calls = written.map((content, at) => [
      talk.calls(`w${at}`, { [`f${at}`]: ["write_file", { path: `/accounts/${at}.yaml`, content }] }),
      talk.result(`wr${at}`, `f${at}`, `Written. ${"word ".repeat(400)}`),
    ]);
    const standIn = compacted([talk.human("h1", "Write them."), ...calls.flat()], 600).find(isSummary);
    const { excerpts = [] } = parseSummary(standIn === undefined ? "" : messageText(standIn)) ?? {};
    const entries = excerpts.filter((entry) => entry.startsWith("write_file {"));
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter((entry) => entry.includes("“"))).toEqual([]);
  });
});
