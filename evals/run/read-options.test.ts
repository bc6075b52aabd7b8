import { expect, it } from "vitest";
import { flag, number, numbers, readOptions, text } from "./read-options.js";

const options = { window: numbers(1_000, [8_000]), seeds: number(1, undefined), set: text(""), large: flag };

it("options of a suite have the values that are given, and the usual ones elsewhere", () => {
  expect(readOptions([], options)).toEqual({ window: [8_000], seeds: undefined, set: "", large: false });
  const args = ["--window", "1000", "--window=2000", "--seeds", "3", "--set", "pi", "--large"];
  expect(readOptions(args, options)).toEqual({ window: [1_000, 2_000], seeds: 3, set: "pi", large: true });
});

it.each([
  [["--window", "10"], "--window is 10: use a number, 1000 or more"],
  [["--seeds", "x"], "--seeds is x"],
  [["--other"], "--other"],
])("options of a suite refuse %j", (args, message) => {
  expect(() => readOptions(args, options)).toThrow(message);
});
