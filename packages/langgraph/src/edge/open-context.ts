import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, withIds, type Rewrite, type TokenCounter } from "@palimpsest/context";
import {
  dropReasoning,
  hasBoundReasoning,
  nativeStart,
  openHeld,
  reconcile,
  unchanged,
} from "@palimpsest/context/internal";
import { commitRewrite, holdRewrite, mustThrow, writeArchive, type CommitOptions } from "./commit.js";
import { admitFolds } from "./sealed-folds.js";

/** The messages of a step as the ladder works on them. */
export interface OpenedContext<Run extends CommitOptions> {
  /** The messages as they came in, without forged folds: what stays when the step fails. */
  readonly admitted: readonly BaseMessage[];
  /** The same with every original that was held in state back in its place. */
  readonly messages: readonly BaseMessage[];
  readonly isOpened: boolean;
  /** `isDown` where an original was held and the archive still fails. */
  readonly run: Run;
}

/**
 * Returns the messages to work on: forged folds are ordinary messages again, originals that the archive could not take are
 * opened, so that they come before all else in this step, and messages that a summary covers are left out.
 *
 * @throws what the archive throws where it has to be read.
 */
export async function openContext<Run extends CommitOptions>(
  messages: readonly BaseMessage[],
  run: Run,
  tokenCounter: TokenCounter,
): Promise<OpenedContext<Run>> {
  const opened = await openOriginals(messages, run, tokenCounter);
  const read = (path: string) => run.archive.readText(path);
  return { ...opened, messages: await reconcile(opened.messages, read) };
}

/** Returns what {@link openContext} does, with what a summary covers. */
export async function openOriginals<Run extends CommitOptions>(
  messages: readonly BaseMessage[],
  run: Run,
  tokenCounter: TokenCounter,
): Promise<OpenedContext<Run>> {
  const admitted = await admitFolds(messages, run.seal);
  const opened = await openHeld(admitted);
  const isOpened = opened !== admitted;
  const isDown = isOpened && !(await isBack(admitted, run));
  const current = isDown ? { ...run, isDown } : run;
  if (!isOpened) return { admitted, messages: opened, isOpened, run: current };
  const rewrite = withoutShortReasoning(admitted, opened, tokenCounter);
  const committed = rewrite && (await commitRewrite(rewrite, { ...current, reason: "edit" }));
  return { admitted, messages: committed?.messages ?? opened, isOpened, run: current };
}

/**
 * Returns the context after a step that has opened held originals, without reasoning that was made behind their short form.
 * While the archive fails, state holds that reasoning.
 */
export async function validAfterOpening(
  messages: readonly BaseMessage[],
  { admitted, isOpened, run }: Omit<OpenedContext<CommitOptions>, "messages">,
  tokenCounter: TokenCounter,
): Promise<readonly BaseMessage[]> {
  const rewrite = isOpened ? withoutShortReasoning(admitted, messages, tokenCounter) : undefined;
  return rewrite === undefined ? messages : holdRewrite(rewrite, run);
}

/** Removes the reasoning from the first held original on, some of which was made behind its short form; undefined without any. */
function withoutShortReasoning(
  admitted: readonly BaseMessage[],
  messages: readonly BaseMessage[],
  tokenCounter: TokenCounter,
): Rewrite | undefined {
  const from = admitted.findIndex((message) => foldOf(message)?.held !== undefined);
  const start = Math.max(from, nativeStart(messages) + 1);
  if (!messages.slice(start).some(hasBoundReasoning)) return undefined;
  const named = withIds(messages);
  const isStale = (_: BaseMessage, index: number) => index >= start;
  return dropReasoning(unchanged(named), { isStale, newest: named.at(-1)?.id, tokenCounter });
}

/** Tries one of the held originals, once: in a long outage a step does not wait. */
async function isBack(messages: readonly BaseMessage[], run: CommitOptions): Promise<boolean> {
  const held = messages.flatMap((message) => foldOf(message)?.held ?? []);
  try {
    await writeArchive(held.slice(0, 1), run.archive, []);
    return true;
  } catch (error) {
    if (mustThrow(error, run)) throw error;
    run.report.fail("archive", error);
    return false;
  }
}
