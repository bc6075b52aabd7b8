import type { BaseMessage } from "@langchain/core/messages";
import { toStoredMessage, unfold, type StoredMessage } from "@palimpsest/context";
import type { VirtualFilesystem } from "@palimpsest/vfs";

/** Returns the thread behind a context, out of the archive of `threadId`, in a form that can be compared. */
export async function unfolded(
  messages: readonly BaseMessage[],
  files: VirtualFilesystem,
  threadId: string,
): Promise<readonly StoredMessage[]> {
  const { archive } = files.thread(threadId);
  const opened = await unfold(messages, (path) => archive.readText(path));
  return opened.map((message) => toStoredMessage(message));
}
