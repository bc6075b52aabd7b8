import { ContextOverflowError } from "@langchain/core/errors";
import { expect, it } from "vitest";
import { equalError } from "./overflow-error-handler.js";

it("returns another object of the same class with the same fields", () => {
  const error = Object.assign(new ContextOverflowError("too long"), { code: "context_length_exceeded" });
  const equal = equalError(error);
  expect(equal).not.toBe(error);
  expect(ContextOverflowError.isInstance(equal)).toBe(true);
  expect(equal).toBeInstanceOf(ContextOverflowError);
  expect(equal).toMatchObject({ message: "too long", name: error.name, code: "context_length_exceeded" });
  expect(equal.stack).toBe(error.stack);
});

it("converts any other thrown value to an error", () => {
  expect(equalError("prompt is too long")).toMatchObject({
    message: "prompt is too long",
    cause: "prompt is too long",
  });
  expect(equalError(undefined).message).toBe("undefined");
});
