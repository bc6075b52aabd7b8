import type { BaseMessage } from "@langchain/core/messages";
import type { Files } from "@palimpsest/vfs";
import { expect } from "vitest";
import type { VfsSaver } from "../saver/vfs-saver.js";
import { contentOf, noteAt, notes } from "./written-content.js";

/** Checks every checkpoint, archive entry and file of a thread of the writer. Returns its last step. */
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
    await checkFiles(saver, threadId, { files: checkpoint.channel_values["files"] as Files, step });
  }
  for (let step = 0; step <= newest; step++) {
    expect(await archive.readText(`/context/history/${step}.md`)).toBe(contentOf(threadId, step));
  }
  return newest;
}

/** Each file has the content that was last written to it up to that step. */
async function checkFiles(
  saver: VfsSaver,
  threadId: string,
  { files, step }: { readonly files: Files; readonly step: number },
): Promise<void> {
  const { workspace } = saver.files.thread(threadId, files);
  expect(Object.keys(files)).toHaveLength(Math.min(step + 1, notes));
  for (let last = Math.max(0, step - notes + 1); last <= step; last++) {
    expect((await workspace.readRaw(noteAt(last))).data?.content).toBe(contentOf(threadId, last));
  }
}
