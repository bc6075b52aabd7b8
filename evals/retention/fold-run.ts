import type { BaseMessage } from "@langchain/core/messages";
import { compactionNode, type ContextOptions } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { Trajectory } from "../data/trajectory.js";
import { NodeThread } from "../metrics/node-thread.js";

/** A context as it stands after so many compactions. */
export interface FoldedContext {
  readonly compactions: number;
  /** The thread so far, as it happened. */
  readonly thread: readonly BaseMessage[];
  readonly context: readonly BaseMessage[];
  readonly read: (path: string) => Promise<string>;
}

export interface FoldRunOptions extends Partial<Omit<ContextOptions, "files" | "onEvent">> {
  readonly contextWindow: number;
  /** Numbers of compactions after which the context is examined, ascending. */
  readonly marks: readonly number[];
  readonly look: (folded: FoldedContext) => void | Promise<void>;
}

/** Plays a run through the real node, and examines the context at each mark. */
export async function foldRun(
  { id, messages }: Trajectory,
  { marks, look, ...options }: FoldRunOptions,
): Promise<void> {
  const files = VirtualFilesystem.inMemory();
  const { archive } = files.thread(id);
  let compactions = 0;
  const node = compactionNode({
    files,
    limits: { offload: Math.floor(options.contextWindow / 8) },
    onEvent: ({ type }) => {
      if (type === "context.compaction") compactions++;
    },
    ...options,
  });
  const folded = new NodeThread(node, id);
  let looked = 0;
  for (const [index, message] of messages.entries()) {
    if (message.getType() === "ai") {
      const context = await folded.step();
      const reached = marks.findLast((mark) => mark <= compactions) ?? 0;
      if (reached > looked) {
        looked = reached;
        const thread = messages.slice(0, index);
        await look({ compactions, thread, context, read: (path) => archive.readText(path) });
      }
      if (looked === marks.at(-1)) break;
    }
    folded.add([message]);
  }
}
