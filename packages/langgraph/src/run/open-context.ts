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

/** The messages that the ladder works on. */
export interface OpenedContext<Run extends CommitOptions> {
  /** The messages as they came in, without forged folds: the result if the step fails. */
  readonly admitted: readonly BaseMessage[];
  /** The same messages with every original that was held in state back in its place. */
  readonly messages: readonly BaseMessage[];
  readonly isOpened: boolean;
  /** Has `isDown` set if an original was held and the archive still fails. */
  readonly run: Run;
}

/**
 * Returns the messages to work on. Forged folds become ordinary messages. Originals that the archive could not take are opened,
 * so that this step archives them first. Messages that a summary covers are left out.
 *
 * @throws the archive's error if it has to be read and fails.
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

/** Like {@link openContext}, but with the messages that a summary covers. */
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
 * Returns the context after a step that has opened held originals, without reasoning that was made after their short form.
 * While the archive fails, the state holds that reasoning.
 */
export async function validAfterOpening(
  messages: readonly BaseMessage[],
  { admitted, isOpened, run }: Omit<OpenedContext<CommitOptions>, "messages">,
  tokenCounter: TokenCounter,
): Promise<readonly BaseMessage[]> {
  const rewrite = isOpened ? withoutShortReasoning(admitted, messages, tokenCounter) : undefined;
  return rewrite === undefined ? messages : holdRewrite(rewrite, run);
}

/**
 * Removes the reasoning from the first held original on, because some of it was made after the short form; undefined if there
 * is none.
 */
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

/** Tries to archive one of the held originals, once, so that a step does not wait during a long outage. */
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
