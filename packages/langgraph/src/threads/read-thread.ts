import type { BaseMessage } from "@langchain/core/messages";
import { unfold } from "@palimpsest/context";
import { reconcile } from "@palimpsest/context/internal";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { requireFiles } from "../edge/resolve-options.js";
import { threadIdOf } from "../edge/run-config.js";
import type { ThreadConfig, ThreadGraph } from "./thread-graph.js";

export interface ReadThreadOptions {
  /** The filesystem that the nodes use as well. */
  readonly files: VirtualFilesystem;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
}

/**
 * Returns the whole thread as it happened, message for message, whatever was folded away. Changes nothing.
 *
 * @throws ContextError `corrupt`, or the archive's own error, when an original is not there any more.
 */
export async function readThread(
  graph: Pick<ThreadGraph, "getState">,
  config: ThreadConfig,
  { files, inputKey = "messages" }: ReadThreadOptions,
): Promise<BaseMessage[]> {
  requireFiles(files);
  const { values } = await graph.getState(config);
  const stored = (values as Readonly<Record<string, unknown>> | undefined)?.[inputKey];
  const messages = Array.isArray(stored) ? (stored as BaseMessage[]) : [];
  const threadId = threadIdOf(config, messages);
  if (threadId === undefined) return messages;
  const archive = files.archive(threadId);
  const read = (path: string) => archive.readText(path);
  return unfold(await reconcile(messages, read), read);
}
