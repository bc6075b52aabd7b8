import type { BaseMessage } from "@langchain/core/messages";
import { unfold, type ReadArchive } from "@palimpsest/context";
import { originalMessages, withoutRepeated } from "@palimpsest/context/internal";
import { FileError, type VirtualFilesystem } from "@palimpsest/vfs";
import { listOf, scopeOf } from "../run/node-state.js";
import { threadIdOf } from "../run-config.js";
import { genuineMessages } from "../run/sealed-folds.js";
import type { ThreadConfig, ThreadGraph } from "./thread-graph.js";
import { requireOptions } from "../options/require-options.js";
import { requireThread } from "./require-thread.js";

export interface ReadThreadOptions {
  /** The filesystem of the nodes. */
  readonly files: VirtualFilesystem;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
  /** Called for each damaged archive file. Its folds stay closed, like those of a missing file. @default the error is thrown */
  readonly onDamage?: ((damaged: DamagedOriginal) => void) | undefined;
}

/** An archive file of a fold that cannot be read. */
export interface DamagedOriginal {
  readonly path: string;
  readonly error: FileError;
}

/**
 * Returns the whole thread as it happened, with every fold opened. Changes nothing.
 *
 * A fold that no node of this thread has created counts as an ordinary message. A fold whose file is missing stays closed,
 * with a note.
 *
 * @throws ContextError `corrupt`, or the archive's error, if an original cannot be read.
 */
export async function readThread(
  graph: Pick<ThreadGraph, "getState">,
  config: ThreadConfig,
  options: ReadThreadOptions,
): Promise<BaseMessage[]> {
  requireOptions(options, "readThread");
  const { files, inputKey = "messages", onDamage } = options;
  requireThread(graph, config);
  const snapshot = await graph.getState(config);
  const values = (snapshot.values ?? {}) as Readonly<Record<string, unknown>>;
  const messages = listOf(values[inputKey]);
  const threadId = threadIdOf(config, scopeOf(values, messages));
  if (threadId === undefined) return [...originalMessages(messages)];
  const archive = files.archive(threadId);
  const read = pastDamage((path) => archive.readText(path), onDamage);
  const whole = await unfold(await genuineMessages(messages, files.seal(threadId), read), read);
  // Agents of subgraphs fold the same messages, each in its own list, and the graph joins these lists.
  return [...(await withoutRepeated(whole, read))];
}

/**
 * Returns a reader of the archive that reports each damaged file once and treats it as missing. Without `onDamage`, returns the
 * same reader.
 */
export function pastDamage(read: ReadArchive, onDamage: ReadThreadOptions["onDamage"]): ReadArchive {
  if (onDamage === undefined) return read;
  const reported = new Set<string>();
  return async (path) => {
    try {
      return await read(path);
    } catch (error) {
      if (!FileError.isInstance(error) || error.code !== "corrupt") throw error;
      if (!reported.has(path)) onDamage({ path, error });
      reported.add(path);
      throw new FileError("not-found", `${path} is damaged.`, { cause: error });
    }
  };
}
