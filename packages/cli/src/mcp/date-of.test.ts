import { HumanMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { dateOf } from "./date-of.js";

const at = (timestamp: unknown): HumanMessage =>
  new HumanMessage({ content: "Hello.", response_metadata: { timestamp } });

it.each([
  ["2023-05-08T13:56:00Z", "8 May 2023"],
  [1_683_554_160, "8 May 2023"],
  [1_683_554_160_000, "8 May 2023"],
  ["yesterday", ""],
  [undefined, ""],
])("the day of %s is %j", (timestamp, date) => {
  expect(dateOf(at(timestamp))).toBe(date);
});
