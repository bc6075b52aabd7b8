import { describe, expect, it } from "vitest";
import { mistakes } from "./commit-model.js";
import { explore } from "./explore.js";

/** States of the large run, for example 12000000, which takes some minutes. @default none */
const maxStates = Number(process.env["PALIMPSEST_STATES"] ?? 0);
const bounds = { steps: 2, prunes: 1, copies: 1, deletions: 1, crashes: 1 };

describe("the commit protocol of three processes that may be killed between any two effects", () => {
  it.each([
    bounds,
    { steps: 3, prunes: 1, copies: 1, deletions: 0, crashes: 0 },
    { steps: 2, prunes: 1, copies: 2, deletions: 1, crashes: 0 },
  ])("reaches no state in which something acknowledged cannot be read: %j", (within) => {
    const { states, isComplete, violation } = explore({ bounds: within });
    expect(violation).toBeUndefined();
    expect(isComplete).toBe(true);
    expect(states).toBeGreaterThan(10_000);
  });

  it.runIf(maxStates > 0)(
    "reaches none in a large part of the states",
    () => {
      const within = { steps: 3, prunes: 1, copies: 2, deletions: 1, crashes: 2 };
      const { states, violation } = explore({ bounds: within, maxStates });
      expect(violation).toBeUndefined();
      console.info(JSON.stringify({ within, states }));
    },
    3_600_000,
  );

  it.each(mistakes)("would with a mistake: %s", (mistake) => {
    const { violation } = explore({ bounds, mistake });
    expect(violation?.what).toMatch(
      /^(?:an acknowledged|a checkpoint|a fold|a thread|a step) .*(?:gone|value|nothing|thread|another|refused)$/u,
    );
    expect(violation?.trace.length).toBeGreaterThan(5);
  });
});
