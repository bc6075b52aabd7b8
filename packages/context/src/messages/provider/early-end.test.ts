import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { earlyEnd } from "./early-end.js";

const empty = { content: "" };
const usage = (input: number, output: number) => ({
  usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
});
const end = (fields: object) => earlyEnd(new AIMessage(fields), 100_000);

describe("earlyEnd", () => {
  it.each<[string, object]>([
    [
      "Anthropic's stop reason",
      { content: "Cut in the mid", response_metadata: { stop_reason: "model_context_window_exceeded" } },
    ],
    [
      "Anthropic's stop reason when streaming",
      { content: "Cut", additional_kwargs: { stop_reason: "model_context_window_exceeded" } },
    ],
    [
      "Bedrock's stop reason",
      { content: "Cut", response_metadata: { stopReason: "model_context_window_exceeded" } },
    ],
    ["Mistral's stop reason", { content: "Cut", response_metadata: { finish_reason: "model_length" } }],
    ["an empty answer at a length", { ...empty, response_metadata: { finish_reason: "length" } }],
    [
      "an empty answer with one token",
      { ...empty, ...usage(90_000, 1), response_metadata: { done_reason: "length" } },
    ],
    [
      "an incomplete response without output",
      {
        content: [],
        response_metadata: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      },
    ],
    [
      "an answer that reasoned to the end of the window",
      {
        content: [{ type: "reasoning", reasoning: "Hm." }],
        ...usage(95_000, 4_000),
        response_metadata: { finish_reason: "length" },
      },
    ],
    [
      "an answer that reasoned to the end of a window of which most was cached, and is counted apart",
      {
        content: [{ type: "reasoning", reasoning: "Hm." }],
        usage_metadata: {
          input_tokens: 5_000,
          output_tokens: 4_000,
          total_tokens: 99_000,
          input_token_details: { cache_read: 90_000 },
        },
        response_metadata: { stop_reason: "max_tokens" },
      },
    ],
  ])("earlyEnd finds the window in %s", (_, fields) => {
    expect(end(fields)).toBe("window-exceeded");
  });

  it("earlyEnd finds a compaction by the provider in its stop reason", () => {
    expect(end({ content: "", response_metadata: { stop_reason: "compaction" } })).toBe("provider-compacted");
  });

  it.each<[string, object]>([
    ["an answer with text at a length", { content: "Half", response_metadata: { finish_reason: "length" } }],
    [
      "an answer with a call at a length",
      {
        content: "",
        tool_calls: [{ id: "k", name: "read", args: {} }],
        response_metadata: { finish_reason: "length" },
      },
    ],
    [
      "reasoning that took all of the host's limit",
      { ...empty, ...usage(5_000, 1_000), response_metadata: { finish_reason: "length" } },
    ],
    [
      "an unknown block at a length",
      {
        content: [{ type: "server_tool_use", id: "s" }],
        response_metadata: { stop_reason: "max_tokens" },
      },
    ],
    ["an empty answer that was meant", { ...empty, response_metadata: { finish_reason: "stop" } }],
    ["an answer without metadata", empty],
  ])("earlyEnd is undefined for %s", (_, fields) => {
    expect(end(fields)).toBeUndefined();
  });

  it("earlyEnd is undefined for a message of the user", () => {
    const human = new HumanMessage({ content: "", response_metadata: { finish_reason: "length" } });
    expect(earlyEnd(human)).toBeUndefined();
  });
});
