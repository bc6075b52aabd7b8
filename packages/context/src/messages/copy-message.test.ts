import { AIMessage, AIMessageChunk, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ForeignMessage, historyArbitrary, messageImage } from "../testing/index.js";
import { copyMessage } from "./copy-message.js";
import { toStoredMessage } from "./stored-message.js";

describe("copyMessage", () => {
  it("applies the changes and keeps all other fields", () => {
    const message = new ToolMessage({
      id: "t",
      content: "long",
      tool_call_id: "c",
      name: "ls",
      artifact: { a: 1 },
    });
    const copy = copyMessage(message, { content: "short" });
    expect(copy).toBeInstanceOf(ToolMessage);
    expect({ ...toStoredMessage(copy).data }).toEqual({ ...toStoredMessage(message).data, content: "short" });
    expect(message.content).toBe("long");
  });

  it("keeps the size of the serialized form over many copies", () => {
    const message = new ToolMessage({ id: "t", content: "0123456789", tool_call_id: "call" });
    const size = JSON.stringify(message).length;
    let copy = message;
    for (let times = 0; times < 4; times++) copy = copyMessage(copy, { content: "9876543210" });
    expect(JSON.stringify(copy)).toHaveLength(size);
    expect(JSON.stringify(copy)).not.toContain("0123456789");
  });

  it("serializes an id that was assigned after construction", () => {
    const message = new AIMessage("hello");
    message.id = "late";
    const copy = copyMessage(message, { content: "bye" });
    expect(JSON.parse(JSON.stringify(copy))).toMatchObject({ kwargs: { id: "late", content: "bye" } });
  });

  it("replaces calls that a chunk computes lazily", () => {
    const chunk = new AIMessageChunk({
      content: "",
      tool_call_chunks: [{ type: "tool_call_chunk", id: "c", index: 0, name: "ls", args: '{"path":"/"}' }],
    });
    const copy = copyMessage(chunk, { tool_calls: [] });
    expect(copy).toBeInstanceOf(AIMessageChunk);
    expect(copy.tool_calls).toEqual([]);
    expect(chunk.tool_calls).toMatchObject([{ name: "ls", args: { path: "/" } }]);
  });

  it("replaces the content in the contentBlocks of a v1 message too", () => {
    const message = new AIMessage({
      contentBlocks: [{ type: "text", text: "a secret of 1,000 characters" }],
    });
    const copy = copyMessage(message, { content: [{ type: "text", text: "pointer" }] });
    expect(JSON.stringify(copy)).not.toContain("secret");
  });

  it("returns a mutable copy of a frozen message", () => {
    const message = new AIMessage({ id: "a", content: "x" });
    Object.freeze(message);
    const copy = copyMessage(message, { content: "y" });
    copy.id = "b";
    expect(copy).toMatchObject({ id: "b", content: "y" });
  });

  it("keeps a property that the host has hidden", () => {
    const message = Object.defineProperty(new AIMessage({ id: "a", content: "x" }), "trace", { value: "t" });
    expect(copyMessage(message, { content: "y" })).toMatchObject({ trace: "t", content: "y" });
  });

  it("keeps the class of a message that LangChain does not know", () => {
    expect(copyMessage(new ForeignMessage({ content: "x" }), { id: "f" }).constructor).toBe(ForeignMessage);
  });

  it("copies any message without changing anything", () => {
    fc.assert(
      fc.property(historyArbitrary({ maxTurns: 2 }), (messages) => {
        const copies = messages.map((message) => copyMessage(message, {}));
        expect(copies.map(messageImage)).toEqual(messages.map(messageImage));
      }),
    );
  });
});
