import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutPoints } from "../cuts/cut-rules.js";
import { foldOf } from "../folds/fold.js";
import { unfold } from "../folds/unfold.js";
import { withIds } from "../messages/message-id.js";
import {
  addedIllegalities,
  historyArbitrary,
  messageImage,
  readerOf,
  recordWrites,
  talk,
} from "../testing/index.js";
import { compactAbove, planAbove } from "./compact-above.js";

const thread = [
  talk.system("s", "rules"),
  talk.human("h1", "the goal"),
  talk.calls("c", { a: ["ls"], b: ["ls"] }),
  talk.result("ra", "a", "1"),
  talk.result("rb", "b", "2"),
  talk.ai("e1", "seen"),
  talk.human("h2", "the latest"),
  talk.ai("e2", "done"),
];
const ids = (messages: readonly { id?: string | undefined }[]) => messages.map(({ id }) => id);

describe("compactAbove", () => {
  it("folds everything above a message, and keeps the message and everything after it", () => {
    const { messages, folds } = compactAbove(thread, "e1", { text: "## Findings\n- two files" });
    expect(ids(messages)).toEqual(["s", "h1", folds[0]?.id, "e1", "h2", "e2"]);
    expect(messages[2]?.text).toContain("- two files");
    expect(foldOf(messages[2] ?? talk.human("", ""))?.kind).toBe("summary");
  });

  it("leaves a note when it gets no text", () => {
    const { folds, messages } = compactAbove(thread, "h2", { reason: "user" });
    expect(folds).toEqual([expect.objectContaining({ kind: "trim", reason: "user" })]);
    expect(messages.map(({ text }) => text).join("\n")).toContain(
      "4 earlier messages are in the file above.",
    );
  });

  it("cuts at the nearest legal point above a message when its own index is not legal", () => {
    expect(planAbove(thread, "rb")).toBeUndefined();
    const longer = thread.toSpliced(2, 0, talk.ai("e0", "let me look"));
    expect(ids(planAbove(longer, "rb")?.folded ?? [])).toEqual(["e0"]);
  });

  it("changes nothing when nothing is above the message, and refuses an unknown id", () => {
    expect(compactAbove(thread, "h1").messages).toBe(thread);
    expect(() => compactAbove(thread, "nobody")).toThrow('No message of the context has the id "nobody"');
  });

  it("is undone by unfold, adds nothing illegal and folds only above the message, in any history", async () => {
    const history = historyArbitrary({ maxTurns: 3 }).map((messages) => withIds(messages));
    await fc.assert(
      fc.asyncProperty(history, fc.nat(40), async (messages, at) => {
        const index = at % Math.max(1, messages.length);
        const target = messages[index]?.id;
        fc.pre(target !== undefined);
        const rewrite = compactAbove(messages, target);
        const archive = new Map<string, string>();
        recordWrites(archive, rewrite.writes);
        const opened = await unfold(rewrite.messages, readerOf(archive));
        expect(opened.map(messageImage)).toEqual(messages.map(messageImage));
        expect(addedIllegalities(messages, rewrite.messages)).toEqual([]);
        const below = messages.slice(index);
        expect(rewrite.messages.slice(-below.length)).toEqual(below);
        expect(cutPoints(messages)).toContain(messages.length - tailLength(rewrite.messages, messages));
      }),
      { numRuns: 200 },
    );
  });
});

/** Returns the length of the common suffix of two lists. */
function tailLength(a: readonly unknown[], b: readonly unknown[]): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}
