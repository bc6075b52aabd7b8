import { expect, it } from "vitest";
import { parseCommandLine } from "./command-line.js";

it("the command line takes its own options and leaves the others to the suite, in order", () => {
  const line = parseCommandLine(["replay", "--window", "8000", "--data", "runs", "--json", "--limit", "2"]);
  expect(line).toMatchObject({ names: ["replay"], data: "runs", json: true, quick: false });
  expect(line.args).toEqual(["--window", "8000", "--limit", "2"]);
});

it("the command line reads --data=DIR as --data DIR", () => {
  expect(parseCommandLine(["--data=runs"])).toMatchObject({ names: [], data: "runs", args: [] });
});

it("the command line takes the file of an earlier run", () => {
  expect(parseCommandLine(["steps", "--compare", "before.json"])).toMatchObject({
    compare: "before.json",
    args: [],
  });
  expect(() => parseCommandLine(["steps", "--compare"])).toThrow("--compare has no file");
});

it.each([["--data"], ["--data", "--json"], ["--data="]])(
  "the command line refuses %s without a folder",
  (...argv) => {
    expect(() => parseCommandLine(argv)).toThrow("--data has no folder");
  },
);
