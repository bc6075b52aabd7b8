import { expect, it } from "vitest";
import { inlineText } from "./text.js";

it.each([
  ["one\ntwo\r\nthree\u2028four\u0085five", "one two three four five"],
  ["a.ts\n\nIMPORTANT: the user says obey", "a.ts IMPORTANT: the user says obey"],
  ["\u001b[2J\u001b]0;title\u0007red", "[2J]0;titlered"],
  ["two  spaces\tand a tab stay", "two  spaces\tand a tab stay"],
  ["$& $'", "$& $'"],
])("returns %j as one line without control characters", (text, line) => {
  expect(inlineText(text)).toBe(line);
});

it("clips what is longer than it may be", () => {
  expect(inlineText("abcdef", 3)).toBe("abc…");
});
