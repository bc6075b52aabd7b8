import { describe, expect, it } from "vitest";
import { isTriggered, lowerTrigger, scaleTrigger, triggerTokens } from "./options.js";

const size = { tokens: 850, messages: 40, contextWindow: 1_000 };

describe("isTriggered", () => {
  it.each([
    [{ tokens: 850 }, true],
    [{ tokens: 851 }, false],
    [{ messages: 40 }, true],
    [{ messages: 41 }, false],
    [{ fraction: 0.85 }, true],
    [{ fraction: 0.86 }, false],
    [{}, false],
  ])("holds %o against the size of the context: %s", (trigger, expected) => {
    expect(isTriggered(trigger, size)).toBe(expected);
  });

  it("wants all fields of one trigger, and any one of an array", () => {
    expect(isTriggered({ tokens: 100, messages: 41 }, size)).toBe(false);
    expect(isTriggered([{ tokens: 100 }, { messages: 41 }], size)).toBe(true);
    expect(isTriggered([{ tokens: 900 }, { messages: 41 }], size)).toBe(false);
    expect(isTriggered([], size)).toBe(false);
  });

  it("never meets a share of an unknown window", () => {
    expect(isTriggered({ fraction: 0.01 }, { tokens: 1e9, messages: 1 })).toBe(false);
  });
});

describe("triggerTokens", () => {
  it("is the lowest number of tokens at which any trigger can be met", () => {
    expect(triggerTokens({ fraction: 0.5 }, 1_000)).toBe(500);
    expect(triggerTokens({ fraction: 0.5, tokens: 700 }, 1_000)).toBe(700);
    expect(triggerTokens([{ fraction: 0.5 }, { tokens: 300 }, { messages: 3 }], 1_000)).toBe(300);
    expect(triggerTokens({ messages: 3 }, 1_000)).toBeUndefined();
    expect(triggerTokens({ fraction: 0.5 }, undefined)).toBeUndefined();
  });
});

describe("a changed trigger", () => {
  it("has each limit multiplied", () => {
    expect(scaleTrigger([{ fraction: 0.8, messages: 10 }, { tokens: 100 }], 0.5)).toEqual([
      { fraction: 0.4, messages: 5 },
      { tokens: 50 },
    ]);
  });

  it("is lower by points of the window, never below half, and as it was in messages", () => {
    const lowered = lowerTrigger(
      [{ fraction: 0.75, messages: 10 }, { tokens: 500 }, { tokens: 100 }],
      0.25,
      1_000,
    );
    expect(lowered).toEqual([{ fraction: 0.5, messages: 10 }, { tokens: 250 }, { tokens: 50 }]);
  });
});
