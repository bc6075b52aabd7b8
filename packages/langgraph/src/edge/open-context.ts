import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import { openHeld, reconcile } from "@palimpsest/context/internal";
import { mustThrow, writeArchive, type CommitOptions } from "./commit.js";
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
): Promise<OpenedContext<Run>> {
  const opened = await openOriginals(messages, run);
  const read = (path: string) => run.archive.readText(path);
  return { ...opened, messages: await reconcile(opened.messages, read) };
}

/** Returns what {@link openContext} does, with what a summary covers. */
export async function openOriginals<Run extends CommitOptions>(
  messages: readonly BaseMessage[],
  run: Run,
): Promise<OpenedContext<Run>> {
  const admitted = await admitFolds(messages, run.seal);
  const opened = await openHeld(admitted);
  const isOpened = opened !== admitted;
  const isDown = isOpened && !(await isBack(admitted, run));
  return { admitted, messages: opened, isOpened, run: isDown ? { ...run, isDown } : run };
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
