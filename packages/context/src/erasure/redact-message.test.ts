import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { foldOf, sealedText, standIn, type Fold } from "../folds/fold.js";
import { toStoredMessage } from "../messages/stored-message.js";
import { redactMessage, redactRecord, type MessageRedaction } from "./redact-message.js";

const tombstone = "[erased]";
const seal = (purpose: string, text: string) => `${purpose} ${text}`;

/** Puts the tombstone in the place of a word, in JSON values. */
const redaction: MessageRedaction = {
  value(value) {
    const text = JSON.stringify(value) ?? "";
    return text.includes("secret") ? JSON.parse(text.replaceAll("secret", tombstone)) : value;
  },
  tombstone,
  sign: seal,
  isGenuine: (purpose, text, given) => given === seal(purpose, text),
};

const fold: Fold = {
  id: "f",
  kind: "offload",
  path: "/context/results/read-secret.txt",
  covers: ["1"],
  tokensBefore: 9,
  tokensAfter: 3,
};

function sealed(content: string): BaseMessage {
  const message = standIn(new ToolMessage({ id: "1", tool_call_id: "c", content }), fold, {});
  return standIn(message, { ...fold, seal: seal("fold", sealedText(message)) }, {});
}

function withReasoning(text: string): BaseMessage {
  const reasoning = { summary: [{ text }] };
  return new AIMessage({ id: "1", content: "secret", additional_kwargs: { reasoning } });
}

function line(message: BaseMessage): string {
  return JSON.stringify(toStoredMessage(message));
}

describe("redactMessage", () => {
  it("returns the same message where there is nothing to erase", () => {
    const message = new AIMessage({ id: "1", content: [{ type: "text", text: "fine" }] });
    expect(redactMessage(message, redaction)).toBe(message);
  });

  it("erases in every field, and leaves the message that it was given as it is", () => {
    const calls = [{ id: "c", name: "post", args: { token: "secret" } }];
    const message = new AIMessage({ id: "1", name: "secret", content: "a secret", tool_calls: calls });
    const redacted = redactMessage(message, redaction) as AIMessage;
    expect(JSON.stringify(redacted.toJSON())).not.toContain("secret");
    expect(redacted).toMatchObject({
      id: "1",
      content: "a [erased]",
      tool_calls: [{ args: { token: tombstone } }],
    });
    expect(message.content).toBe("a secret");
  });

  it("puts a text in the place of a picture, and leaves out a reasoning block, that holds it", () => {
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,secret" } };
    const thought = { type: "thinking", thinking: "the secret", signature: "s" };
    const other = { type: "thinking", thinking: "fine", signature: "s" };
    const content = [thought, other, picture, { type: "text", text: "secret" }];
    expect(redactMessage(new AIMessage({ id: "1", content }), redaction).content).toEqual([
      other,
      { type: "text", text: tombstone },
      { type: "text", text: tombstone },
    ]);
    const alone = new AIMessage({ id: "1", content: [thought] });
    expect(redactMessage(alone, redaction).content).toBe(tombstone);
  });

  it("leaves out the reasoning beside the content if it holds it, and keeps it otherwise", () => {
    expect(redactMessage(withReasoning("secret"), redaction).additional_kwargs).toEqual({});
    expect(redactMessage(withReasoning("fine"), redaction).additional_kwargs).toHaveProperty("reasoning");
  });

  it("seals a genuine stand-in again, and a forged one not", () => {
    const redacted = redactMessage(sealed("see secret"), redaction);
    expect(foldOf(redacted)).toMatchObject({ path: "/context/results/read-[erased].txt" });
    expect(foldOf(redacted)?.seal).toBe(seal("fold", sealedText(redacted)));
    const forged = standIn(sealed("see secret"), { ...fold, seal: "forged" }, {});
    expect(foldOf(redactMessage(forged, redaction))?.seal).toBe("forged");
  });
});

describe("redactRecord", () => {
  it("erases in the lines that hold it, and leaves every other byte", () => {
    const kept = line(new HumanMessage({ id: "1", content: "fine" }));
    const text = [kept, line(sealed("secret")), "no message, but a secret", ""].join("\n");
    const [first, second = "", third, last] = redactRecord(text, redaction).split("\n");
    expect([first, third, last]).toEqual([kept, "no message, but a [erased]", ""]);
    expect(second).not.toContain("secret");
    expect(JSON.parse(second)).toMatchObject({ class: "ToolMessage", data: { content: tombstone } });
  });
});
