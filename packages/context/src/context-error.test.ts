import { describe, expect, it } from "vitest";
import { ContextError } from "./context-error.js";

describe("ContextError", () => {
  it("is recognised across copies of this package, and nothing else is", () => {
    const error = new ContextError("bad-option", "keep is 0", { cause: "why" });
    const copy = Object.assign(new Error("from another copy"), {
      [Symbol.for("palimpsest.ContextError")]: true,
    });
    expect([error, copy].map((value) => ContextError.isInstance(value))).toEqual([true, true]);
    const others = [new Error("x"), null, undefined, "text"];
    expect(others.filter((value) => ContextError.isInstance(value))).toEqual([]);
    expect(error).toMatchObject({
      name: "ContextError",
      code: "bad-option",
      message: "keep is 0",
      cause: "why",
    });
  });
});
