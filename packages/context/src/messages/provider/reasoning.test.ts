import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { hasBoundReasoning, isReasoningBlock, withoutReasoning } from "./reasoning.js";
import { messageText } from "../text.js";

const text = { type: "text", text: "Done." };
const call = { id: "k", name: "read", args: {} };
const thinking = { type: "thinking", thinking: "Hm.", signature: "s" };

describe("reasoning", () => {
  it.each<[string, ConstructorParameters<typeof AIMessage>[0]]>([
    ["Anthropic's thinking", { content: [thinking, text] }],
    ["Anthropic's redacted thinking", { content: [{ type: "redacted_thinking", data: "x" }, text] }],
    [
      "Bedrock's reasoning",
      {
        content: [
          { type: "reasoning_content", reasoningText: { text: "Hm.", signature: "s" } },
          { type: "reasoning_content", redactedContent: "eA==" },
          text,
        ],
        response_metadata: { model_provider: "bedrock-converse" },
      },
    ],
    ["LangChain's standard reasoning", { content: [{ type: "reasoning", reasoning: "Hm." }, text] }],
    [
      "OpenAI's reasoning in additional_kwargs",
      { content: [text], additional_kwargs: { reasoning: { id: "rs" } } },
    ],
    [
      "OpenAI's raw output",
      {
        content: [text],
        response_metadata: {
          output: [
            { type: "reasoning", id: "rs" },
            { type: "message", id: "msg" },
          ],
        },
      },
    ],
  ])("of the form of %s is bound, and is taken out whole", (_, fields) => {
    const message = new AIMessage({ id: "a", ...(fields as object) });
    expect(hasBoundReasoning(message)).toBe(true);
    const shorter = withoutReasoning(message);
    expect(hasBoundReasoning(shorter)).toBe(false);
    expect(shorter.content).toEqual([text]);
    expect(JSON.stringify(shorter)).not.toContain("reasoning");
    expect(shorter.id).toBe("a");
  });

  it("reasoning is removed together with the ids of stored response items", () => {
    const output = [
      { type: "reasoning", id: "rs" },
      { type: "function_call", id: "fc", call_id: "k", name: "read", arguments: "{}" },
    ];
    const kwargs = { __openai_function_call_ids__: { k: "fc" } };
    const message = new AIMessage({
      content: "",
      tool_calls: [call],
      additional_kwargs: kwargs,
      response_metadata: { output },
    });
    const shorter = withoutReasoning(message);
    expect(shorter.additional_kwargs).toEqual({});
    expect(shorter.response_metadata["output"]).toEqual([
      { type: "function_call", call_id: "k", name: "read", arguments: "{}" },
    ]);
  });

  it("a placeholder replaces the reasoning of a message that held nothing else", () => {
    expect(withoutReasoning(new AIMessage({ content: [thinking] as never })).content).toMatch(/\S/);
    expect(
      withoutReasoning(new AIMessage({ content: [thinking] as never, tool_calls: [call] })).content,
    ).toBe("");
  });

  it.each([
    [
      "a model that does not bind it yet",
      { content: [thinking, text], response_metadata: { model: "claude-sonnet-4-5" } },
    ],
    [
      "a server that neither signs nor binds",
      { content: "Done.", additional_kwargs: { reasoning_content: "Hm." } },
    ],
    [
      "Gemini, which signs single parts",
      {
        content: [{ type: "reasoning", reasoning: "Hm.", thoughtSignature: "s" }, text],
        response_metadata: { model_provider: "google" },
      },
    ],
    ["a message without any", { content: "Done." }],
  ])("of %s does not depend on its prefix", (_, fields) => {
    const message = new AIMessage(fields);
    expect(hasBoundReasoning(message)).toBe(false);
  });

  it("stays on a message of Gemini and on one of a server with reasoning_content", () => {
    const signed = { type: "reasoning", reasoning: "Hm.", thoughtSignature: "s" };
    const messages = [
      new AIMessage({ content: [signed], response_metadata: { model_provider: "google-genai" } }),
      new AIMessage({ content: "Done.", additional_kwargs: { reasoning_content: "Hm." } }),
    ];
    expect(messages.map(withoutReasoning)).toEqual(messages);
  });

  it("in a text that Gemini marks as thought is not in the text of the message", () => {
    const thought = { type: "text", text: "Hm.", thought: true };
    expect(messageText(new AIMessage({ content: [thought, text] }))).toBe("Done.");
    expect([thought, text].map(isReasoningBlock)).toEqual([true, false]);
  });

  it("of an unknown form is kept, untouched", () => {
    const message = new AIMessage({
      content: [{ type: "pondering", signature: "s" }, thinking, text] as never,
    });
    expect(withoutReasoning(message).content).toEqual([{ type: "pondering", signature: "s" }, text]);
  });
});
