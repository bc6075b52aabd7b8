import type { BaseMessage } from "@langchain/core/messages";
import { expect } from "vitest";
import type { VfsSaver } from "../vfs-saver.js";
import { contentOf } from "./written-content.js";

/** Checks everything of a thread that the writer wrote. Returns its last step. */
export async function checkThread(saver: VfsSaver, threadId: string): Promise<number> {
  const { archive } = saver.files.thread(threadId);
  let newest = -1;
  for await (const { checkpoint, metadata } of saver.list({ configurable: { thread_id: threadId } })) {
    const messages = checkpoint.channel_values["messages"] as BaseMessage[];
    const step = metadata?.step ?? -1;
    newest = Math.max(newest, step);
    expect(messages.map(({ content }) => content)).toEqual(
      messages.map((_, index) => contentOf(threadId, index)),
    );
    expect(messages).toHaveLength(step + 1);
  }
  for (let step = 0; step <= newest; step++) {
    expect(await archive.readText(`/context/history/${step}.md`)).toBe(contentOf(threadId, step));
  }
  return newest;
}
