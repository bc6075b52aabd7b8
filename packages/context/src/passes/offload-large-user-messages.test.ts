import { describe, expect, it } from "vitest";
import { messageText } from "../messages/text.js";
import { talk } from "../testing/index.js";
import { offloadLargeUserMessages } from "./offload-large-user-messages.js";

const log = "2024-05-01T12:00:00Z INFO worker started\n".repeat(3_000);

describe("offloadLargeUserMessages", () => {
  it("offloads a pasted log with a preview, and leaves every other message", () => {
    const messages = [
      talk.system("s", log),
      talk.human("h1", "Why does it stop?"),
      talk.human("h2", log),
      talk.ai("a", log),
      talk.result("r", "c", log),
    ];
    const { messages: after, writes, folds } = offloadLargeUserMessages(messages);
    expect(folds.map(({ kind, covers }) => [kind, covers])).toEqual([["offload", ["h2"]]]);
    expect(writes).toEqual([{ path: folds[0]?.path, content: log }]);
    expect(after.map((message, index) => message === messages[index])).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(after.slice(2, 3).map(messageText)[0]).toMatch(/^\[Message offloaded: 3000 lines/);
  });

  it("changes nothing the second time", () => {
    const once = offloadLargeUserMessages([talk.human("h", log)]);
    expect(offloadLargeUserMessages(once.messages)).toEqual({
      messages: once.messages,
      writes: [],
      folds: [],
    });
  });
});
