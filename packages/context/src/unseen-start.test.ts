import { describe, expect, it } from "vitest";
import { talk } from "./testing/index.js";
import { unseenStart } from "./unseen-start.js";

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
