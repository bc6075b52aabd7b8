import { expect, it } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { isRebuiltError } from "./overflow-error-handler.js";

const resuming = { configurable: { __pregel_resuming: true } };
const thrown = Object.assign(new Error("down"), { pregelTaskId: "1" });
const rebuilt = Object.assign(new Error("down"), { name: "TypeError" });

it.each([
  { says: "an error made from what was stored, in a resumed run, is one", error: rebuilt, expected: true },
  { says: "the same in a first run is not", error: rebuilt, config: inThread("t"), expected: false },
  { says: "an error of its own class is not", error: new TypeError("down"), expected: false },
  { says: "an error that a node threw in this run is not", error: thrown, expected: false },
  { says: "what is no error is not", error: "down", expected: false },
])("$says", ({ error, config = resuming, expected }) => {
  expect(isRebuiltError(error, config)).toBe(expected);
  expect(isRebuiltError(error, undefined)).toBe(false);
});
