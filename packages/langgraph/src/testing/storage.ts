import type { BaseMessage } from "@langchain/core/messages";
import type { MemorySaver } from "@langchain/langgraph";
import { toStoredMessage, unfold, type StoredMessage } from "@palimpsest/context";
import { MemoryDriver, type VirtualFilesystem } from "@palimpsest/vfs";

/** A driver that refuses every write while `full` is true, like a full disk. */
export class FailingDriver extends MemoryDriver {
  full = false;
  refused = 0;

  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    if (!this.full) return super.write(...args);
    this.refused++;
    throw new Error("ENOSPC: no space left on device");
  }
}

/** Returns the bytes of all checkpoints and pending writes of a saver. */
export function storedBytes({ storage, writes }: MemorySaver): number {
  const sizes: number[] = [];
  JSON.stringify([storage, writes], (_, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value;
    sizes.push(value.byteLength);
    return undefined;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the thread that a context was folded from, read from the archive of `threadId`, in stored form. */
export async function unfolded(
  messages: readonly BaseMessage[],
  files: VirtualFilesystem,
  threadId: string,
): Promise<readonly StoredMessage[]> {
  const { archive } = files.thread(threadId);
  const opened = await unfold(messages, (path) => archive.readText(path));
  return opened.map((message) => toStoredMessage(message));
}
