import { describe, expect, it } from "vitest";
import { ContextError } from "./context-error.js";
import { checkOptions, defaults, requirePositive, type CheckedOptions } from "./options.js";

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
    [`keep.turns is 0: ${above}`, { keep: { turns: 0 } }],
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

  it("names the option that a number belongs to", () => {
    expect(() => requirePositive("previewLines", 0)).toThrow("previewLines is 0: use a number above 0");
    expect(requirePositive("previewLines", 0.5)).toBeUndefined();
  });
});
