import { AIMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addedIllegalities } from "./added-illegalities.js";
import { historyArbitrary } from "./history-arbitrary.js";
import { illegalities } from "./illegalities.js";
import { talk } from "./talk.js";

const step = [
  talk.calls("c", { a: ["ls"], b: ["ls"] }),
  talk.result("ra", "a", "1"),
  talk.result("rb", "b", "2"),
];
const legal = [talk.system("s", "rules"), talk.human("h", "x"), ...step, talk.ai("e", "done")];
const thinking = (id: string) => new AIMessage({ id, content: [{ type: "thinking", thinking: "hm" }] });

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
        expect(found.filter((one) => !/ is empty$|^reasoning of/.test(one))).toEqual([]);
      }),
    );
  });
});

describe("addedIllegalities", () => {
  it("excuses what was broken before", () => {
    const broken = legal.toSpliced(4, 1);
    expect(addedIllegalities(broken, broken.slice(1))).toEqual([]);
    expect(addedIllegalities(legal, broken)).toEqual(["call b of message c has no result"]);
  });

  it("misses the reasoning that a message continues", () => {
    const before = [talk.human("h", "x"), thinking("t"), talk.ai("a", "so")];
    expect(addedIllegalities(before, [talk.human("sum", "x"), talk.ai("a", "so")])).toEqual([
      "message a is parted from the reasoning of t",
    ]);
    expect(addedIllegalities(before, [talk.human("h", "x")])).toEqual([]);
  });
});
