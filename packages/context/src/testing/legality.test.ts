import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addedIllegalities, illegalities, legality, legalityRules } from "./legality.js";
import { historyArbitrary } from "./history-arbitrary.js";
import { alternatingRoles } from "./provider-rules.js";
import { talk } from "./talk.js";

const step = [
  talk.calls("c", { a: ["ls"], b: ["ls"] }),
  talk.result("ra", "a", "1"),
  talk.result("rb", "b", "2"),
];
const legal = [talk.system("s", "rules"), talk.human("h", "x"), ...step, talk.ai("e", "done")];
/** Rules that real histories break: empty texts, replies in a row, late or lone reasoning. */
const usual = / is empty$|^reasoning |calls right behind another|calls before any user message/;
/** Of a model that does not bind its reasoning to the prefix. */
const thinking = (id: string) =>
  new AIMessage({
    id,
    content: [{ type: "thinking", thinking: "hm" }],
    response_metadata: { model: "claude-3-7-sonnet" },
  });

const loopRule = legalityRules.find(({ name }) => name === "reasoning-opens-tool-loop")!;
const reasoning = (id: string) => new AIMessage({ id, content: [{ type: "reasoning", summary: [] }] });

describe("illegalities", () => {
  it("finds nothing in a legal list", () => {
    expect(illegalities(legal)).toEqual([]);
    expect(illegalities([])).toEqual([]);
  });

  it.each([
    ["call b of message c has no result", legal.toSpliced(4, 1)],
    ["result ra has no call", legal.toSpliced(2, 1)],
    ["message id h is there twice", [...legal, talk.human("h", "y")]],
    ["system message s is not at the start", [talk.human("h0", "x"), ...legal]],
    ["result rb is parted from its call", legal.toSpliced(4, 0, talk.human("h2", "quick!"))],
    ["message e2 is empty", [...legal, talk.ai("e2", "")]],
    ["reasoning of t is not at the opening of its tool loop", [...legal, thinking("t")]],
  ])("says: %s", (sentence, messages) => {
    expect(illegalities(messages)).toContain(sentence);
  });

  it("finds no broken pair, id or order in histories without oddities", () => {
    fc.assert(
      fc.property(historyArbitrary({ maxOddities: 0 }), (messages) => {
        const found = illegalities(messages);
        expect(found.filter((one) => !usual.test(one))).toEqual([]);
      }),
    );
  });
});

const signedCompaction = new AIMessage({
  id: "cmp",
  content: [{ type: "compaction", content: "They audit.", encrypted_content: "gA", signature: "s" }],
});

const calling = (id: string, block: object) =>
  new AIMessage({
    id,
    content: [block as never],
    tool_calls: [{ type: "tool_call", id: "z", name: "ls", args: {} }],
  });

describe("legality", () => {
  const late = new AIMessage({
    id: "l",
    content: [
      { type: "tool_use", id: "a", name: "ls", input: {} },
      { type: "thinking", thinking: "hm", signature: "s" },
    ],
  });

  it.each<[string, readonly BaseMessage[]]>([
    ["unique-ids", [...legal, talk.human("h", "y")]],
    ["system-first", [talk.human("h0", "x"), ...legal]],
    ["no-empty-message", [...legal, talk.ai("e2", "")]],
    ["reasoning-opens-tool-loop", [...legal, thinking("t")]],
    ["thinking-before-calls", [talk.human("h", "x"), late, talk.result("ra", "a", "1")]],
    ["reasoning-item-has-follower", [talk.human("h", "x"), reasoning("t")]],
    [
      "call-turn-follows-user-or-result",
      [...legal, talk.calls("c2", { d: ["ls"] }), talk.result("rd", "d", "1")],
    ],
    ["starts-with-user", step],
    ["signed-compaction-first", [...legal, signedCompaction]],
    ["result-has-call", [...legal, talk.result("r", "nobody", "1")]],
    ["call-has-result", legal.toSpliced(4, 1)],
    ["results-follow-calls", legal.toSpliced(4, 0, talk.human("h2", "quick!"))],
    ["one-result-a-call", legal.toSpliced(4, 0, talk.result("again", "a", "1"))],
  ])("holds a list to the rule %s, and says where", (rule, messages) => {
    const found = legality(messages).filter((one) => one.rule === rule);
    expect(found).toHaveLength(1);
    expect([...messages.keys()]).toContain(found[0]?.index);
    expect(legality(legal).filter((one) => one.rule === rule)).toEqual([]);
  });

  it("starts a new tool loop at a compaction of the provider, which is not a reply itself", () => {
    const compaction = new AIMessage({ id: "n", content: [{ type: "compaction", content: "Summary" }] });
    const opening = [...legal, compaction, thinking("t")];
    expect(legality(opening, { rules: [loopRule] })).toEqual([]);
    expect(legality([...opening, talk.ai("e2", "done"), thinking("t2")], { rules: [loopRule] })).toEqual([]);
    expect(
      legality([...legal, compaction, talk.ai("e2", "x"), thinking("t")], { rules: [loopRule] }),
    ).toHaveLength(1);
  });

  it("accepts a call right after a compaction of the provider, because Gemini never receives one", () => {
    const compaction = new AIMessage({ id: "n", content: [{ type: "compaction", content: "Summary" }] });
    expect(illegalities([talk.human("h", "x"), compaction, ...step])).toEqual([]);
    expect(illegalities([talk.human("h", "x"), talk.ai("e", "Wait."), ...step])).toHaveLength(1);
  });

  it("has a test for each rule, and filters the rules by provider", () => {
    expect(legalityRules.map(({ name }) => name)).toHaveLength(13);
    const orphan = [talk.human("h", "x"), talk.human("h", "y"), talk.result("r", "nobody", "1")];
    expect(legality(orphan, { provider: "anthropic" }).map(({ rule }) => rule)).toEqual(["result-has-call"]);
    expect(legality(orphan, { provider: "langgraph" }).map(({ rule }) => rule)).toEqual(["unique-ids"]);
    expect(
      legality([calling("c", { type: "reasoning" }), talk.result("r", "z", "1")], {
        provider: "openai-responses",
      }),
    ).toEqual([]);
  });

  it("checks alternating roles only on request", () => {
    const twice = [talk.human("h1", "x"), talk.human("h2", "y"), talk.ai("a", "z")];
    expect(legality(twice)).toEqual([]);
    expect(legality(twice, { rules: [alternatingRoles] })).toEqual([
      { rule: "alternating-roles", message: "message h2 has the role of the one before it", index: 1 },
    ]);
  });
});

describe("addedIllegalities", () => {
  it("ignores violations that were there before", () => {
    const broken = legal.toSpliced(4, 1);
    expect(addedIllegalities(broken, broken.slice(1))).toEqual([]);
    expect(addedIllegalities(legal, broken)).toEqual(["call b of message c has no result"]);
  });

  it("reports a message that lost the reasoning it continues", () => {
    const before = [talk.human("h", "x"), thinking("t"), talk.ai("a", "so")];
    expect(addedIllegalities(before, [talk.human("sum", "x"), talk.ai("a", "so")])).toEqual([
      "message a is parted from the reasoning of t",
    ]);
    expect(addedIllegalities(before, [talk.human("h", "x")])).toEqual([]);
  });
});
