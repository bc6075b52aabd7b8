import { ContextOverflowError } from "@langchain/core/errors";
import { describe, expect, it } from "vitest";
import { isContextOverflow } from "./is-context-overflow.js";

describe("isContextOverflow", () => {
  it.each([
    [
      "OpenAI",
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ],
    [
      "OpenAI Responses",
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ],
    ["Anthropic", "prompt is too long: 210000 tokens > 200000 maximum"],
    ["Anthropic with output", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
    ["Bedrock", "Input is too long for requested model."],
    ["Google", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
    ["Mistral", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
    ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ["Groq", "Please reduce the length of the messages or completion."],
    ["Cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081"],
    ["Copilot", "prompt token count of 140000 exceeds the limit of 128000"],
    ["llama.cpp", "the request exceeds the available context size, try increasing it"],
    ["LM Studio", "the number of tokens to keep from the initial prompt is greater than the context length"],
    ["Kimi", "Your request exceeded model token limit: 8192 (requested: 15000)"],
    ["MiniMax", "invalid params, context window exceeds limit (2013)"],
    [
      "text generation inference",
      "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens",
    ],
  ])("knows what %s says", (_, message) => {
    expect(isContextOverflow(new Error(message))).toBe(true);
  });

  it("recognizes OpenAI's error code, LangChain's error class and a plain string", () => {
    expect(isContextOverflow(Object.assign(new Error("400"), { code: "context_length_exceeded" }))).toBe(
      true,
    );
    expect(isContextOverflow(new ContextOverflowError())).toBe(true);
    expect(isContextOverflow("prompt is too long")).toBe(true);
  });

  it("follows causes, and stops at a cycle of them", () => {
    const deep = new Error("node failed", {
      cause: new Error("model failed", { cause: new Error("prompt is too long") }),
    });
    expect(isContextOverflow(deep)).toBe(true);
    const circle = new Error("again");
    circle.cause = circle;
    expect(isContextOverflow(circle)).toBe(false);
  });

  it.each([
    "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
    "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    "429 Too Many Requests: quota exceeded for the maximum number of tokens",
    "You exceeded your current quota, please check your plan and billing details.",
    "Invalid API key",
    "max_tokens is too large: 99999. This model supports at most 16384 completion tokens.",
    "The tool `too_long` was not found",
    "",
  ])("does not take for an overflow: %s", (message) => {
    expect(isContextOverflow(new Error(message))).toBe(false);
  });

  it.each([
    undefined,
    null,
    7,
    {},
    [],
    Object.create(null) as unknown,
    Symbol("prompt is too long"),
    () => 0,
  ])("is false for a value that is no error", (value) => {
    expect(isContextOverflow(value)).toBe(false);
  });
});
