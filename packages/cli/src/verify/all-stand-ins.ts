import { isBaseMessage, type BaseMessage } from "@langchain/core/messages";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import { admitFolds } from "@palimpsest/langgraph/threads";
import { FileError } from "@palimpsest/vfs";

/** Returns the messages with folds in all checkpoints of a thread, each fold once, without forged ones. Reads in attempts. */
export async function allStandIns(
  saver: VfsSaver,
  thread: string,
  attempt: (read: () => Promise<void>) => Promise<void>,
): Promise<readonly BaseMessage[]> {
  const namespaces = new Set<string>();
  await attempt(async () => {
    for await (const { namespace } of saver.checkpoints(thread)) namespaces.add(namespace);
  });
  const found = new Map<string, BaseMessage>();
  for (const namespace of namespaces)
    await attempt(async () => {
      for await (const { checkpoint } of saver.history(thread, namespace))
        for (const message of messagesIn(Object.values(checkpoint.channel_values))) {
          const { id, seal } = foldOf(message) ?? {};
          if (id !== undefined) found.set(JSON.stringify([id, seal]), message);
        }
    });
  const messages = [...found.values()];
  // A lost key is reported by itself. Every fold may then be genuine.
  return admitFolds(messages, saver.files.seal(thread)).catch((error: unknown) => {
    if (FileError.isInstance(error) && error.code === "missing-key") return messages;
    throw error;
  });
}

/** Yields the messages in lists of messages. */
function* messagesIn(values: readonly unknown[]): Generator<BaseMessage> {
  for (const value of values)
    if (Array.isArray(value)) for (const one of value as unknown[]) if (isBaseMessage(one)) yield one;
}
