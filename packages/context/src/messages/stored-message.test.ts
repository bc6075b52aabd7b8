import { ChatMessage, FunctionMessage, HumanMessageChunk, RemoveMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ForeignMessage, historyArbitrary, messageImage } from "../testing/index.js";
import { fromStoredMessage, toStoredMessage, type StoredMessage } from "./stored-message.js";

function throughJson(stored: StoredMessage): StoredMessage {
  return JSON.parse(JSON.stringify(stored)) as StoredMessage;
}

const refused = () => fromStoredMessage({ class: "AIMessage", type: "ai" } as StoredMessage);

describe("stored messages", () => {
  it("a stored message is restored with every field and the same class", () => {
    fc.assert(
      fc.property(historyArbitrary(), (messages) => {
        const known = messages.filter((message) => message.constructor !== ForeignMessage);
        const back = known.map((message) => fromStoredMessage(throughJson(toStoredMessage(message))));
        expect(back.map(messageImage)).toEqual(known.map(messageImage));
        expect(back.map((message) => message.constructor)).toEqual(
          known.map((message) => message.constructor),
        );
        expect(back.map((message) => message.getType())).toEqual(known.map((message) => message.getType()));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    new ChatMessage({ content: "x", role: "critic", id: "c" }),
    new FunctionMessage({ content: "x", name: "f", id: "c" }),
    new HumanMessageChunk({ content: "x", id: "c" }),
    new RemoveMessage({ id: "c" }),
  ])("come back for rarer classes too: %o", (message) => {
    const back = fromStoredMessage(throughJson(toStoredMessage(message)));
    expect(back.constructor).toBe(message.constructor);
    expect(messageImage(back)).toBe(messageImage(message));
  });

  it("a stored message of an unknown class is restored as a ChatMessage with the original type as role", () => {
    const back = fromStoredMessage(toStoredMessage(new ForeignMessage({ id: "f", content: "x" })));
    expect(back).toBeInstanceOf(ChatMessage);
    expect(back).toMatchObject({ id: "f", content: "x", role: "developer" });
    expect(JSON.parse(JSON.stringify(back))).toMatchObject({ kwargs: { role: "developer" } });
  });

  it("a restored message serializes as the original does", () => {
    fc.assert(
      fc.property(historyArbitrary({ maxTurns: 2, maxOddities: 0 }), (messages) => {
        const once = messages.map((message) => fromStoredMessage(toStoredMessage(message)));
        const twice = once.map((message) => fromStoredMessage(toStoredMessage(message)));
        expect(twice.map((message) => message.lc_kwargs)).toEqual(once.map((message) => message.lc_kwargs));
      }),
    );
  });

  it("a value that is not a stored message is refused", () => {
    expect(refused).toThrow('Not a stored message: {"class":"AIMessage","type":"ai"}');
    expect(refused).toThrow(expect.objectContaining({ name: "ContextError", code: "corrupt" }) as Error);
  });
});
