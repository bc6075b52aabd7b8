import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unfold } from "../folds/unfold.js";
import { historyArbitrary, messageImage, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { newestNote, withNote } from "./note.js";

const thread = [talk.human("h", "x"), talk.ai("e", "y")];

describe("a note", () => {
  it("a note is on the newest message only, and adds no tokens", () => {
    const noted = withNote([...withNote(thread, { at: 1 }), talk.human("h2", "z")], { at: 2 });
    expect(noted.map((message) => Object.keys(message.additional_kwargs))).toEqual([
      [],
      [],
      ["palimpsest_note"],
    ]);
    expect(newestNote(noted)).toEqual({ at: 2 });
    expect(estimateTokens(noted)).toBe(estimateTokens([...thread, talk.human("h2", "z")]));
    expect(newestNote(thread)).toBeUndefined();
    expect(withNote([], { at: 1 })).toEqual([]);
  });

  it("unfold and withNote without a note remove a note, and every message is restored byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary({ maxTurns: 2 }), async (messages) => {
        const images = messages.map(messageImage);
        const noted = withNote(messages, { at: 1 });
        const opened = await unfold(noted, () => Promise.reject(new Error("nothing to read")));
        expect(opened.map(messageImage)).toEqual(images);
        expect(withNote(noted).map(messageImage)).toEqual(images);
        expect(messages.map(messageImage)).toEqual(images);
      }),
      { numRuns: 100 },
    );
  });

  it("returns the same list when no message has a note", () => {
    expect(withNote(thread)).toBe(thread);
  });
});
