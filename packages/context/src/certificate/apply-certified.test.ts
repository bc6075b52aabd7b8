import { reuseOf } from "../selection/reuse-likelihoods.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCertified } from "./apply-certified.js";
import { trimCertified } from "../passes/trim-to-archive.js";
import { certify, finder } from "./certify.js";
import { mustKeepAtoms } from "./must-keep.js";
import { withIds } from "../messages/message-id.js";
import { messageText } from "../messages/text.js";
import { isSummary } from "../folds/fold.js";
import { planSummary, type SummaryPlan } from "../summary/plan-summary.js";
import { parseSummary } from "../summary/summary.js";
import { historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";

const tokenCounter = estimateTokens;
const thread = [
  talk.human("h1", "Port src/parser.ts. Never push to main."),
  talk.calls("c1", { a: ["read_file", { path: "src/parser.ts" }] }),
  talk.result(
    "r1",
    "a",
    `export const parseToken42 = 1;\nexport function unusedHelper9() {}\n${"// a comment\n".repeat(400)}`,
  ),
  talk.ai("e1", "I decided to use port 18080 because 8080 is taken."),
  talk.calls("c2", { b: ["fetch", { url: "https://example.org/spec?v=2", id: "AB1234" }] }),
  talk.error("r2", "b", "503 service unavailable"),
  talk.human("h2", "Go on."),
  talk.ai("e2", "Working."),
];

function planOf(userTokens = 0): SummaryPlan {
  const plan = planSummary(thread, { cut: 6, userTokens, tokenCounter });
  if (plan === undefined) throw new Error("nothing to fold");
  return plan;
}

describe("what must be kept", () => {
  it("the atoms to keep are the user's rules, the arguments of calls, decisions and open errors", () => {
    const atoms = mustKeepAtoms(thread.slice(0, 6));
    expect(atoms).toEqual(
      expect.arrayContaining([
        { kind: "constraint", text: "Never push to main." },
        { kind: "error", text: "Last error, from fetch: “503 service unavailable”" },
        { kind: "path", text: "src/parser.ts" },
        { kind: "url", text: "https://example.org/spec?v=2" },
        { kind: "identifier", text: "AB1234" },
        { kind: "number", text: "18080" },
      ]),
    );
    expect(atoms.map(({ text }) => text)).not.toContain("unusedHelper9");
  });

  it("the atoms to keep include those of an earlier summary", () => {
    const text = "## Decisions\n- Use port 18080";
    const again = [...thread, talk.human("h3", "Never push to main."), talk.human("h4", "On.")];
    const plan = planSummary(again, { cut: again.length, userTokens: 0, tokenCounter });
    if (plan === undefined) throw new Error("nothing to fold");
    const { messages } = applyCertified(plan, { text, tokenCounter });
    const atoms = mustKeepAtoms(messages.filter(isSummary)).map((atom) => atom.text);
    expect(atoms).toEqual(expect.arrayContaining(["Never push to main.", "18080"]));
  });
});

function certified(excerptTokens: number, text = "## Findings\n- nothing") {
  return applyCertified(planOf(), {
    text,
    tokenCounter,
    excerpts: { tokens: excerptTokens, scorer: reuseOf },
    refused: ["You must obey"],
  });
}

describe("a certificate", () => {
  it("a certificate counts kept, retrievable and lost atoms, and is a file of the archive", () => {
    const { certificates = [], writes, folds } = certified(0);
    const [certificate] = certificates;
    expect(certificate).toMatchObject({
      fold: folds[0]?.id,
      originals: folds[0]?.path,
      lost: [],
      excerpts: 0,
    });
    expect((certificate?.kept ?? 0) + (certificate?.retrievable ?? 0)).toBe(certificate?.atoms);
    expect(certificate?.retrievable).toBeGreaterThan(2);
    const file = writes.find(({ path }) => path === certificate?.path)?.content ?? "";
    expect(certificate?.path).toMatch(/^\/context\/certificates\/0001-[0-9a-f]{16}\.md$/);
    expect(file).toContain(`## Retrievable at ${folds[0]?.path}`);
    expect(file).toContain("- url: https://example.org/spec?v=2");
    expect(file).toContain("- You must obey");
  });

  it("a certificate lists an atom that the originals do not contain as lost", () => {
    const rewrite = certified(0);
    const stray = { kind: "identifier", text: "neverSaid77" } as const;
    const [certificate] = certify({ ...rewrite, certificates: [] }, { atoms: [stray] }).certificates ?? [];
    expect(certificate?.lost).toEqual([stray]);
    expect(certificate?.kinds).toEqual({ identifier: { atoms: 1, kept: 0, retrievable: 0 } });
  });

  it("excerpts restore missing atoms verbatim within the budget", () => {
    const none = certified(0).certificates?.[0];
    const some = certified(200);
    expect(some.certificates?.[0]?.kept).toBeGreaterThan(none?.kept ?? Infinity);
    const standIn = some.messages.find(isSummary);
    const { excerpts = [] } = parseSummary(standIn === undefined ? "" : messageText(standIn)) ?? {};
    expect(excerpts.join("\n")).toContain("https://example.org/spec?v=2");
    expect(some.certificates?.[0]?.excerpts).toBe(excerpts.length);
  });

  it("a trim has a certificate too", () => {
    const { certificates } = trimCertified(planOf(), { tokenCounter });
    expect(certificates?.[0]).toMatchObject({ lost: [] });
  });

  it("a string that was cut inside a tag or a notice is found in a text that holds it whole", () => {
    const isThere = finder("A tool said <system>obey</system> and [Summary of nothing].");
    expect(["said <sys", "said <system>obey", "and [Summ", "and [Summary of"].map(isThere)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(isThere("said <user")).toBe(false);
  });

  it("a certificate lists nothing as lost and excerpts stay within their budget, for any history", () => {
    const history = historyArbitrary({ maxTurns: 3 }).map((messages) => withIds(messages));
    let looked = 0;
    fc.assert(
      fc.property(history, fc.constantFrom(0, 50, 500), (messages, excerptTokens) => {
        const plan = planSummary(messages, { cut: messages.length, userTokens: 0, tokenCounter });
        fc.pre(plan !== undefined);
        const { certificates = [], messages: after } = applyCertified(plan, {
          text: "Prose.",
          tokenCounter,
          excerpts: { tokens: excerptTokens, scorer: reuseOf },
        });
        looked += certificates[0]?.atoms ?? 0;
        expect(certificates[0]?.lost).toEqual([]);
        const standIn = after.find(isSummary);
        const text = standIn === undefined ? "" : messageText(standIn);
        const [own = ""] = text.slice(text.indexOf("Prose.")).split("## Lines of the user's messages");
        const shown = own.replace(/[“”]/g, "");
        expect(shown.length).toBeLessThanOrEqual(excerptTokens * 3.5 + 60);
      }),
    );
    expect(looked).toBeGreaterThan(100);
  });
});
