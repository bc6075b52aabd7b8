import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, withIds, type TokenCounter } from "@palimpsest/context";
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
  const from = admitted.findIndex((message) => foldOf(message)?.held !== undefined);
  const valid = await withoutReasoning(opened, from, { ...current, tokenCounter });
  return { admitted, messages: valid, isOpened, run: current };
}

/**
 * Returns opened messages without the reasoning from the first held original on: some of it was made behind the short form.
 * It goes to the archive, and into state where that fails.
 */
async function withoutReasoning(
  opened: readonly BaseMessage[],
  from: number,
  { tokenCounter, ...run }: CommitOptions & { readonly tokenCounter: TokenCounter },
): Promise<readonly BaseMessage[]> {
  const start = Math.max(from, nativeStart(opened) + 1);
  if (!opened.slice(start).some(hasBoundReasoning)) return opened;
  const named = withIds(opened);
  const isStale = (_: BaseMessage, index: number) => index >= start;
  const rewrite = dropReasoning(unchanged(named), { isStale, newest: named.at(-1)?.id, tokenCounter });
  const committed = await commitRewrite(rewrite, { ...run, reason: "edit" });
  return committed?.messages ?? (await holdRewrite(rewrite, run));
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
