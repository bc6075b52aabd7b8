import { expect, it } from "vitest";
import { suites } from "../suites.js";
import { runSuite } from "./run-suite.js";

const line = { names: [], quick: true, json: false, readme: false, help: false, args: [] };
/** `fit` measures nothing: it computes weights. */
const names = Object.keys(suites).filter((name) => name !== "fit");

it.each(names)(
  "a quick run of %s holds, and each of its comparisons has a rival",
  async (name) => {
    const { result } = await runSuite(name, await suites[name]!(), line);
    expect(result).toMatchObject({ suite: name, passed: true });
  },
  300_000,
);
