import { describe, expect, it } from "vitest";
import { ContextError } from "./context-error.js";
import {
  type CheckedOptions,
  checkOptions,
  defaults,
  isTriggered,
  lowerTrigger,
  requirePositive,
  scaleTrigger,
  triggerTokens,
} from "./options.js";

const good: CheckedOptions = { trigger: { tokens: 100 }, keep: { tokens: 10 }, contextWindow: 1_000 };
const one = "give exactly one of fraction, tokens, messages, turns";
const limits = "give at least one of fraction, tokens, messages";
const share = "use a share of the window above 0 and at most 1";
const above = "use a number above 0";
const unknown =
  "of an unknown context window: pass contextWindow (tokens), a model whose profile has maxInputTokens";
const less = "keep less than the trigger, or compaction could never free anything";

function refusal(options: Partial<Record<keyof CheckedOptions, unknown>>): ContextError {
  try {
    checkOptions({ ...good, ...options } as CheckedOptions);
  } catch (error) {
    if (ContextError.isInstance(error)) return error;
  }
  throw new Error("nothing was refused");
}

describe("checkOptions", () => {
  it.each<[string, Parameters<typeof refusal>[0]]>([
    [`trigger is []: ${limits}`, { trigger: [] }],
    [`trigger is {}: ${limits}`, { trigger: {} }],
    [`trigger is {}: ${limits}`, { trigger: [{ tokens: 1 }, {}] }],
    [`trigger.fraction is 0: ${share}`, { trigger: { fraction: 0 } }],
    [`trigger.fraction is 1.1: ${share}`, { trigger: { fraction: 1.1 } }],
    [`trigger.fraction is NaN: ${share}`, { trigger: { fraction: Number.NaN } }],
    [`trigger.tokens is 0: ${above}`, { trigger: { tokens: 0 } }],
    [`trigger.tokens is Infinity: ${above}`, { trigger: { tokens: Infinity } }],
    [`trigger.messages is -1: ${above}`, { trigger: { messages: -1 } }],
    [`keep is {}: ${one}`, { keep: {} }],
    [`keep is {"tokens":100,"turns":3}: ${one}`, { keep: { tokens: 100, turns: 3 } }],
    ["keep is []: give at least one of fraction, tokens, messages, turns", { keep: [] }],
    [`keep.turns is 0: ${above}`, { keep: { turns: 0 } }],
    [`keep.turns is 0: ${above}`, { keep: [{ fraction: 0.01 }, { turns: 0 }] }],
    [`keep is 100 tokens with a trigger at 100 tokens: ${less}`, { keep: [{ turns: 3 }, { tokens: 100 }] }],
    [`keep.tokens is -5: ${above}`, { keep: { tokens: -5 } }],
    [`keep.messages is 0: ${above}`, { keep: { messages: 0 } }],
    [`keep.fraction is 2: ${share}`, { keep: { fraction: 2 } }],
    [`contextWindow is 0: ${above}`, { contextWindow: 0 }],
    [`contextWindow is NaN: ${above}`, { contextWindow: Number.NaN }],
    [`contextWindow is "32000": ${above}`, { contextWindow: "32000" }],
    [`trigger.fraction is "0.5": ${share}`, { trigger: { fraction: "0.5" as never } }],
    [`keep is 100 tokens with a trigger at 100 tokens: ${less}`, { keep: { tokens: 100 } }],
    [`keep is 500 tokens with a trigger at 100 tokens: ${less}`, { keep: { fraction: 0.5 } }],
    [
      `keep is 50 messages with a trigger at 10 messages: ${less}`,
      { trigger: [{ messages: 10 }, { tokens: 100 }], keep: { messages: 50 } },
    ],
  ])("refuses with: %s", (message, options) => {
    expect(refusal(options)).toMatchObject({ code: "bad-option", message });
  });

  it.each(["trigger", "keep"] as const)("refuses a share of an unknown window as %s", (name) => {
    const error = refusal({ [name]: { fraction: 0.5 }, contextWindow: undefined });
    expect(error).toMatchObject({
      code: "unknown-window",
      message: `${name}.fraction is 0.5 ${unknown}, or a ${name} in tokens`,
    });
  });

  it.each<CheckedOptions>([
    good,
    { trigger: defaults.trigger, keep: defaults.keep, contextWindow: 8_000 },
    { trigger: { fraction: 0.8 }, keep: { turns: 3 }, contextWindow: 1_000 },
    { trigger: [{ messages: 60 }, { tokens: 100 }], keep: { messages: 50 } },
    { trigger: { messages: 10, tokens: 100 }, keep: { messages: 50 } },
    { trigger: { messages: 10 }, keep: { tokens: 50_000 } },
    { trigger: { fraction: 1 }, keep: { fraction: 0.99 }, contextWindow: 1 },
  ])("accepts %o", (options) => {
    expect(checkOptions(options)).toBeUndefined();
  });

  it("names the option in the error for an invalid number", () => {
    expect(() => requirePositive("previewLines", 0)).toThrow("previewLines is 0: use a number above 0");
    expect(requirePositive("previewLines", 0.5)).toBeUndefined();
  });
});

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

  it("requires all fields of one trigger, and any one trigger of an array", () => {
    expect(isTriggered({ tokens: 100, messages: 41 }, size)).toBe(false);
    expect(isTriggered([{ tokens: 100 }, { messages: 41 }], size)).toBe(true);
    expect(isTriggered([{ tokens: 900 }, { messages: 41 }], size)).toBe(false);
    expect(isTriggered([], size)).toBe(false);
  });

  it("a trigger with a share of an unknown window is never met", () => {
    expect(isTriggered({ fraction: 0.01 }, { tokens: 1e9, messages: 1 })).toBe(false);
  });
});

describe("triggerTokens", () => {
  it("triggerTokens is the lowest number of tokens at which any trigger can be met", () => {
    expect(triggerTokens({ fraction: 0.5 }, 1_000)).toBe(500);
    expect(triggerTokens({ fraction: 0.5, tokens: 700 }, 1_000)).toBe(700);
    expect(triggerTokens([{ fraction: 0.5 }, { tokens: 300 }, { messages: 3 }], 1_000)).toBe(300);
    expect(triggerTokens({ messages: 3 }, 1_000)).toBeUndefined();
    expect(triggerTokens({ fraction: 0.5 }, undefined)).toBeUndefined();
  });
});

describe("a changed trigger", () => {
  it("a scaled trigger has each limit multiplied by the share", () => {
    expect(scaleTrigger([{ fraction: 0.8, messages: 10 }, { tokens: 100 }], 0.5)).toEqual([
      { fraction: 0.4, messages: 5 },
      { tokens: 50 },
    ]);
  });

  it("a lowered trigger has token limits lowered by points of the window, to no less than half, and the same message limits", () => {
    const lowered = lowerTrigger(
      [{ fraction: 0.75, messages: 10 }, { tokens: 500 }, { tokens: 100 }],
      0.25,
      1_000,
    );
    expect(lowered).toEqual([{ fraction: 0.5, messages: 10 }, { tokens: 250 }, { tokens: 50 }]);
  });
});
