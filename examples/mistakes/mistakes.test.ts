import { ContextError } from "@palimpsest/context";
import { CheckpointError } from "@palimpsest/checkpoint";
import { RecallError } from "@palimpsest/recall";
import { FileError } from "@palimpsest/vfs";
import { MiddlewareError } from "langchain";
import { expect, it } from "vitest";
import { messages } from "./messages.js";
import { mistakes } from "./mistakes.js";

const names = Object.keys(mistakes) as (keyof typeof mistakes)[];

async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    return await make();
  } catch (error) {
    return sourceOf(error);
  }
}

/** langchain wraps the errors of each middleware, and keeps their messages. */
function sourceOf(error: unknown): unknown {
  return MiddlewareError.isInstance(error) ? sourceOf(error.cause) : error;
}

it.each(names)("a mistake is answered with the value and the way out: %s", async (name) => {
  const error = await errorOf(mistakes[name]);
  expect([ContextError, CheckpointError, RecallError, FileError].some((kind) => kind.isInstance(error))).toBe(
    true,
  );
  const [start = "", rest] = messages[name].split("…");
  const { message } = error as Error;
  expect(rest === undefined ? message : message.slice(0, start.length)).toBe(start);
});

it("the table has at least 60 mistakes", () => {
  expect(names.length).toBeGreaterThanOrEqual(60);
});
