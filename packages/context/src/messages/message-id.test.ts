import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyArbitrary, talk } from "../testing/index.js";
import { withIds } from "./message-id.js";

describe("withIds", () => {
  it("gives every message a unique id, the same on every run", () => {
    fc.assert(
      fc.property(historyArbitrary(), (messages) => {
        const ids = withIds(messages).map(({ id }) => id);
        expect(new Set(ids).size).toBe(messages.length);
        expect(ids.every((id) => typeof id === "string" && id !== "")).toBe(true);
        expect(withIds(messages).map(({ id }) => id)).toEqual(ids);
      }),
    );
  });

  it("returns the same list when every message has a unique id", () => {
    const messages = [talk.human("a", "x"), talk.ai("b", "y")];
    expect(withIds(messages)).toBe(messages);
  });

  it("keeps the first of two equal ids, and copies only what it changes", () => {
    const first = talk.human("a", "x");
    const second = talk.human("a", "x");
    const [kept, renamed] = withIds([first, second]);
    expect(kept).toBe(first);
    expect(renamed?.id).toMatch(/^message-[0-9a-f]{16}$/);
    expect(second.id).toBe("a");
  });

  it("gives different ids to equal messages", () => {
    const ids = withIds([1, 2, 3].map(() => talk.human("", "again"))).map(({ id }) => id);
    expect(ids[1]).toBe(`${ids[0]}-2`);
    expect(ids[2]).toBe(`${ids[0]}-3`);
  });
});
