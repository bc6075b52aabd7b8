import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editText } from "./change-files.js";

describe("editText", () => {
  it("fills an empty text", () => {
    expect(editText("", { oldString: "", newString: "x" })).toEqual({ content: "x", occurrences: 0 });
  });

  it("replaces every occurrence and nothing else", () => {
    const text = fc.array(fc.constantFrom("a", "ab", "$&", "\n", "c")).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, text, (content, oldString, newString) => {
        fc.pre(oldString !== "" && oldString !== newString && content.includes(oldString));
        const parts = content.split(oldString);
        expect(editText(content, { oldString, newString, replaceAll: true })).toEqual({
          content: parts.join(newString),
          occurrences: parts.length - 1,
        });
      }),
    );
  });
});
