import type { BaseMessage } from "@langchain/core/messages";
import { compactionNode, type ContextEvent, type ContextOptions } from "@palimpsest/langgraph";
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

export interface FoldRunOptions {
  readonly contextWindow: number;
  readonly model?: ContextOptions["model"];
  /** @default the shipped one */
  readonly summaryPrompt?: string;
  /** Other options of the node. */
  readonly options?: Partial<ContextOptions>;
  /** Numbers of compactions after which the context is examined, ascending. */
  readonly marks: readonly number[];
  readonly look: (folded: FoldedContext) => Promise<void>;
}

/** Counts of the certificates of a run. */
export interface FoldedRun {
  readonly compactions: number;
  readonly certified: { readonly atoms: number; readonly kept: number; readonly retrievable: number };
}

/** Plays a run through the real node, and examines the context at each mark. */
export async function foldRun(
  { id, messages }: Trajectory,
  { contextWindow, model, summaryPrompt, options, marks, look }: FoldRunOptions,
): Promise<FoldedRun> {
  const files = VirtualFilesystem.inMemory();
  const { archive } = files.thread(id);
  const certified = { atoms: 0, kept: 0, retrievable: 0 };
  let compactions = 0;
  const onEvent = (event: ContextEvent) => {
    if (event.type === "context.compaction") compactions++;
    if (event.type !== "context.certificate") return;
    for (const count of ["atoms", "kept", "retrievable"] as const)
      certified[count] += event.certificate[count];
  };
  const offloadTokens = Math.floor(contextWindow / 8);
  const summaries = { ...(model && { model }), ...(summaryPrompt !== undefined && { summaryPrompt }) };
  const common = { files, contextWindow, limits: { offload: offloadTokens }, onEvent, ...summaries };
  const node = compactionNode({ ...common, ...options });
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
  return { compactions, certified };
}
