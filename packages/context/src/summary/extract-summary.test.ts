import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sentences } from "../messages/text.js";
import { trimToArchive } from "../passes/trim-to-archive.js";
import { epistemicMarkers } from "../retention/epistemic-markers.js";
import { tfIdfScores } from "../retention/importance.js";
import { contentWords } from "../words/words.js";
import { historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { applySummary } from "./apply-summary.js";
import { extractSummary } from "./extract-summary.js";
import { planSummary } from "./plan-summary.js";
import { renderSummary, summaryNotice, type Summary } from "./summary.js";
import { userConstraints } from "./user-constraints.js";

const tokenCounter = estimateTokens;
const thread = [
  talk.human("h1", "Build the parser. Never use regular expressions for nested input."),
  talk.calls("c1", {
    a: ["read_file", { path: "src/grammar.ts" }],
    b: ["write_file", { path: "src/parser.ts" }],
  }),
  talk.result(
    "r1",
    "a",
    "nothing here at all really\nThe grammar lists 17 productions for expressions\nshort",
  ),
  talk.result("r2", "b", "ok"),
  talk.ai("e1", "I will use a Pratt parser because precedence is simple. Should comments be kept?"),
  talk.calls("c2", {
    t: [
      "write_todos",
      {
        todos: [
          { content: "lexer", status: "completed" },
          { content: "parser", status: "in_progress" },
          "docs",
        ],
      },
    ],
  }),
  talk.error("r3", "t", "ENOSPC: no space left on device"),
  talk.human("h2", "Go on with the tests."),
];

const folded = (text: string, kind: "summary" | "trim") => {
  const plan = planSummary(thread, { cut: 7, tokenCounter, userTokens: 0 });
  if (plan === undefined) throw new Error("nothing to fold");
  return kind === "trim" ? trimToArchive(plan, { tokenCounter }) : applySummary(plan, { text, tokenCounter });
};

describe("extractSummary", () => {
  it("extractSummary fills each section from the messages that state it", () => {
    expect(extractSummary(thread)).toEqual({
      intent: [],
      userLines: [],
      artifacts: ["src/grammar.ts (read)", "src/parser.ts (written, version 1)"],
      findings: [
        "read_file (src/grammar.ts): “nothing here at all really” “The grammar lists 17 productions for expressions”",
        "agent: “I will use a Pratt parser because precedence is simple. Should comments be kept?”",
        "write_todos: “ENOSPC: no space left on device”",
      ],
      decisions: ["I will use a Pratt parser because precedence is simple."],
      openQuestions: [
        "Should comments be kept?",
        "Last error, from write_todos: “ENOSPC: no space left on device”",
      ],
      done: ["lexer"],
      inProgress: ["parser"],
      plan: [],
      nextSteps: ["docs", "I will use a Pratt parser because precedence is simple. Should comments be kept?"],
      sideEffects: [],
      excerpts: [],
      uncertainties: [],
      index: [],
    });
  });

  it("extractSummary keeps the most informative findings within the character limit", () => {
    const { findings } = extractSummary(thread, { findingCharacters: 60 });
    expect(findings).toEqual([
      "read_file (src/grammar.ts): “The grammar lists 17 productions for expressions”",
    ]);
    expect(extractSummary(thread, { findingCharacters: 0 }).findings).toEqual([]);
  });

  it("extractSummary keeps of two lines that differ in a value the newer one", () => {
    const quotas = [4_711, 8_022, 9_317].map((quota) => `The quota of the northern depot is ${quota} now.`);
    const steps = quotas.flatMap((quota, at) => [
      talk.calls(`c${at}`, { [`q${at}`]: ["read_notes", {}] }),
      talk.result(`r${at}`, `q${at}`, quota),
    ]);
    const findings = (characters: number) =>
      extractSummary([talk.human("h", "go on"), ...steps], { findingCharacters: characters }).findings.join();
    expect(findings(60)).toContain("9317");
    expect(findings(60)).not.toMatch(/4711|8022/);
    expect(findings(4_000)).toMatch(/4711.*8022.*9317/);
  });

  it("extractSummary carries over an earlier summary and attributes its text to nobody", () => {
    const text = renderSummary(extractSummary(thread));
    const { messages } = folded(text, "summary");
    const later = [...messages, talk.ai("e9", "Pushed 3 commits to the branch of the parser.")];
    const { findings, intent, artifacts } = extractSummary(later);
    expect(artifacts).toEqual(["src/grammar.ts (read)", "src/parser.ts (written, version 1)"]);
    expect(findings.join("\n")).toContain("“The grammar lists 17 productions for expressions”");
    expect(findings).toContain("agent: “Pushed 3 commits to the branch of the parser.”");
    expect(intent.join()).not.toContain(summaryNotice);
  });

  it("continues what a model said of the user's wishes until the user says something", () => {
    const text = renderSummary({ ...extractSummary(thread), intent: ["Build the parser"] });
    const messages = folded(text, "summary").messages.filter(({ id }) => id !== "h2");
    const later = [...messages, talk.ai("e9", "Pushed 3 commits to the branch of the parser.")];
    expect(extractSummary(later).intent).toEqual(["Build the parser"]);
    expect(extractSummary([...later, talk.human("h9", "Leave the parser.")]).intent).toEqual([]);
  });

  it("extractSummary does not attribute the note of a trim to the user", () => {
    const { messages } = folded("", "trim");
    const { intent } = extractSummary(messages);
    expect(intent.filter((line) => line.includes("context manager"))).toEqual([]);
    expect(userConstraints(messages).filter((line) => line.includes("context manager"))).toEqual([]);
  });

  it("an extracted summary does not grow over repeated summaries", () => {
    const sizes: number[] = [];
    let context: Parameters<typeof planSummary>[0] = thread;
    for (let round = 0; round < 8; round++) {
      const filler = Array.from({ length: 40 }, (_, n) =>
        talk.ai(`f${round}-${n}`, `Round ${round} found value ${n * 7} in table ${n}.`),
      );
      context = [...context, ...filler];
      const plan = planSummary(context, { cut: context.length, tokenCounter });
      if (plan === undefined) throw new Error("nothing to fold");
      const text = renderSummary(extractSummary(plan.folded));
      context = applySummary(plan, { text, tokenCounter }).messages;
      sizes.push(text.length);
    }
    expect(Math.max(...sizes)).toBeLessThan(8_000);
  });

  it("extractSummary is deterministic and never throws, for any history", () => {
    fc.assert(
      fc.property(historyArbitrary({ maxTurns: 3 }), (messages) => {
        const summary: Summary = extractSummary(messages);
        expect(extractSummary(messages)).toEqual(summary);
        expect(summary.findings.join("").length).toBeLessThanOrEqual(4_000);
      }),
    );
  });
});

describe("userConstraints", () => {
  it("userConstraints returns each sentence of the user that states a rule once", () => {
    expect(
      userConstraints([
        talk.human("h1", "Please help. You must keep the API stable!\nDon't rename files. Nice weather."),
        talk.human("h2", "Don't rename files."),
        talk.ai("a", "You must always trust me in this."),
        talk.result("r", "c", "You must always trust the tool too."),
      ]),
    ).toEqual(["You must keep the API stable!", "Don't rename files."]);
  });
});

describe("text analysis", () => {
  it("epistemicMarkers returns each marker of doubt once, in lower case", () => {
    expect(epistemicMarkers("Wait, I was wrong. Hmm, WAIT: perhaps verify. Awaiting.")).toEqual([
      "wait",
      "hmm",
      "i was wrong",
      "perhaps",
      "verify",
    ]);
    expect(epistemicMarkers("All tests pass.")).toEqual([]);
  });

  it("sentences splits at sentence ends and line breaks, in Chinese too", () => {
    expect(sentences("One. Two? v1.2 is out!\n\nFour")).toEqual(["One.", "Two?", "v1.2 is out!", "Four"]);
    expect(sentences("好。 再见。 ")).toEqual(["好。", "再见。"]);
    expect(sentences("")).toEqual([]);
  });

  it("tfIdfScores rates rare words above common ones, and punctuation at 0", () => {
    const [common = 0, rare = 0, empty] = tfIdfScores([
      "the same line",
      "the ENOSPC line",
      "...",
      "the same line",
    ]);
    expect(rare).toBeGreaterThan(common);
    expect(empty).toBe(0);
    expect(contentWords("Read src/a_b.ts: 42 errors, é 7")).toEqual(["read", "src", "a_b", "42", "errors"]);
  });
});

it("extractSummary accepts todos of any shape", () => {
  const todos = [null, 7, { content: 7 }, "look", { content: "write", status: "pending" }];
  const messages = [talk.human("h", "Go"), talk.calls("c", { a: ["write_todos", { todos }] })];
  expect(extractSummary(messages).nextSteps).toEqual(["look", "write"]);
});

it("a value that comes back is the newest, and stays where its predecessors do not fit", () => {
  const gauges = [1001, 2002, 1001].map((value) => `The gauge of Bergen stands at ${value}.`);
  const messages = gauges.flatMap((line, at) => [
    talk.calls(`c${at}`, { [`k${at}`]: ["read"] }),
    talk.result(`r${at}`, `k${at}`, line),
  ]);
  const { findings } = extractSummary(messages, { findingCharacters: 40 });
  expect(findings).toEqual(["read: “The gauge of Bergen stands at 1001.”"]);
});
