import { expect, it } from "vitest";
import { suites } from "../suites.js";
import { runSuite } from "./run-suite.js";

const line = { names: [], quick: true, json: false, readme: false, help: false, args: [] };

/** The suites whose quick run takes seconds; the slow tests play all of them. */
it.each(["cloze", "counter", "locomo", "notes", "readers", "replay", "sessions"])(
  "a quick run of %s holds, with more cases than a few",
  async (name) => {
    const { result } = await runSuite(name, await suites[name]!(), line);
    expect(result).toMatchObject({ suite: name, passed: true });
    expect(result.cases).toBeGreaterThan(1);
  },
);
