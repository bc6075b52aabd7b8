import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { refusedFrom, refusedReasoning } from "./refused-reasoning.js";

const refusal = (message: string, fields: object = { status: 400 }) =>
  Object.assign(new Error(message), fields);
const signature =
  "messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";

describe("refusedReasoning", () => {
  it.each([
    ["anthropic", signature],
    [
      "anthropic",
      "messages.5.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    ],
    ["openai", "Item 'rs_1' of type 'reasoning' was provided without its required following item."],
    [
      "openai",
      "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    ],
    ["openai", "Item with id 'rs_0a1b' not found. Items are not persisted when `store` is set to false."],
    ["openai", "The encrypted content gAAA for item rs_1 could not be verified."],
  ])("refusedReasoning recognizes what %s says: %s", (provider, text) => {
    expect(refusedReasoning(refusal(`400 ${text}`))).toMatchObject({ provider, text: `400 ${text}` });
  });

  it("refusedReasoning returns the block that the error names", () => {
    expect(refusedReasoning(refusal(signature))?.block).toEqual({ message: 3, content: 0 });
  });

  it("refusedReasoning follows causes, and reads the status of an error of AWS", () => {
    const aws = refusal(signature, { $metadata: { httpStatusCode: 400 } });
    expect(refusedReasoning(new Error("node failed", { cause: aws }))).toBeDefined();
  });

  it.each([
    ["another status", refusal(signature, { status: 500 })],
    ["another text", refusal("prompt is too long: 3 tokens > 2 maximum")],
    [
      "missing thinking, which removing thinking does not resolve",
      refusal("Expected `thinking`, but found `text`"),
    ],
    ["a value that is no error", signature],
    ["nothing", undefined],
  ])("refusedReasoning is undefined for %s", (_, error) => {
    expect(refusedReasoning(error)).toBeUndefined();
  });
});

const thinking = (id: string) =>
  new AIMessage({
    id,
    content: [{ type: "thinking", thinking: "Hm.", signature: "s" }] as never,
    tool_calls: [
      { id: `${id}-1`, name: "read", args: {} },
      { id: `${id}-2`, name: "read", args: {} },
    ],
  });
const results = (id: string) =>
  [1, 2].map((call) => new ToolMessage({ tool_call_id: `${id}-${call}`, content: "Page." }));
describe("refusedFrom", () => {
  const messages: readonly BaseMessage[] = [
    new SystemMessage("You read."),
    new HumanMessage("Read it."),
    thinking("a"),
    ...results("a"),
    new HumanMessage("And the rest."),
    thinking("b"),
    ...results("b"),
  ];
  const at = (message: number, content = 0) =>
    refusedFrom(messages, { provider: "anthropic", text: "", block: { message, content } });

  it("refusedFrom finds the message where tool results are sent as one message", () => {
    expect([at(1), at(4)].map((index) => messages[index]?.id)).toEqual(["a", "b"]);
  });

  it("refusedFrom finds the message where all that the user sends is one message", () => {
    expect(messages[at(3)]?.id).toBe("b");
  });

  it("refusedFrom is 0 if no block is named, or if the named one holds no reasoning", () => {
    expect([refusedFrom(messages, { provider: "openai", text: "" }), at(0), at(1, 1), at(99)]).toEqual([
      0, 0, 0, 0,
    ]);
  });
});
