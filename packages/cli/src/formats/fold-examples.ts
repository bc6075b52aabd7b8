import type { BaseMessage } from "@langchain/core/messages";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf, toStoredMessage } from "@palimpsest/context";
import { directiveIn } from "@palimpsest/context/folding";
import { isRegretted, readState, ThreadReader } from "@palimpsest/inspector";

/** One decision to fold, with what became of it: an example for fine-tuning. */
export interface FoldExample {
  readonly thread: string;
  /** Id of the checkpoint that has the fold. */
  readonly checkpoint: string;
  /** What the model was sent before the fold, as stored messages. */
  readonly context: readonly unknown[];
  /** The directive of the agent's last reply before it; null if the fold was automatic. */
  readonly directive: unknown;
  readonly fold: {
    readonly id: string;
    readonly kind: string;
    readonly reason: string;
    readonly text: string;
  };
  /** What the agent asked for again within its next 10 calls. */
  readonly later: { readonly originals: number; readonly repeated: number; readonly searched: number };
  /** Tokens that the fold saved, and whether the agent asked for what it covers. */
  readonly outcome: { readonly saved: number; readonly regretted: boolean };
}

/** Returns an example for each fold of a thread, the oldest first. */
export async function foldExamples(saver: VfsSaver, thread: string): Promise<readonly FoldExample[]> {
  const reader = new ThreadReader(saver, thread);
  await reader.load();
  const { rows } = reader.history;
  const examples: FoldExample[] = [];
  for (const one of await reader.rework()) {
    const { fold: id, kind, reason, checkpoint, saved, originals, repeated, searched } = one;
    const before = rows[rows.findIndex((row) => row.id === checkpoint) - 1];
    const context = before === undefined ? [] : (await readState(saver, thread, before.id)).context;
    const after = (await readState(saver, thread, checkpoint)).context;
    examples.push({
      thread,
      checkpoint,
      context: context.map((message) => toStoredMessage(message)),
      directive: directiveOf(context),
      fold: { id, kind, reason, text: after.find((message) => foldOf(message)?.id === id)?.text ?? "" },
      later: { originals, repeated, searched },
      outcome: { saved, regretted: isRegretted(one) },
    });
  }
  return examples;
}

function directiveOf(context: readonly BaseMessage[]): unknown {
  const read = directiveIn(context.findLast((message) => message.getType() === "ai"));
  return read !== undefined && "directive" in read ? read.directive : null;
}
