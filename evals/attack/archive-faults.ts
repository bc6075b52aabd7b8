import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage, estimateTokens, foldOf } from "@palimpsest/context";
import { heldOriginals, standIn } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { cameBack } from "./came-back.js";
import { UnsteadyDriver } from "../live/unsteady-driver.js";
import type { AttackedHost } from "./hosts.js";
import { scriptedThread } from "./script.js";

export interface FaultCase {
  readonly host: AttackedHost;
  readonly window: number;
  readonly steps: number;
  /** Share of the archive writes that fail, until the last step. */
  readonly share: number;
}

/** What a run came to while the archive failed, and once it works again. */
export interface FaultRow extends Omit<FaultCase, "host"> {
  readonly host: string;
  readonly prompts: number;
  /** Prompts over the window, and the largest, in tokens. */
  readonly over: number;
  readonly largest: number;
  /** Bytes of the thread that do not come back before the last step. */
  readonly lostDuring: number;
  /** The same, for a state that is stored without what it holds for the archive. */
  readonly lostUnheld: number;
  /** Bytes that do not come back once the archive works. */
  readonly lostAfter: number;
  /** Originals that are still held then. */
  readonly heldAfter: number;
  readonly isSame: boolean;
}

/** Plays a run whose archive fails, and compares what comes back of its thread with what happened. */
export async function playFaults({ host, window, steps, share }: FaultCase): Promise<FaultRow> {
  let [failing, seed] = [share, 7];
  // The same writes fail in every run.
  const driver = new UnsteadyDriver(() => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647 < failing ? new Error("EIO: the storage does not answer") : "kept";
  });
  const files = new VirtualFilesystem({ driver });
  const sizes: number[] = [];
  let during: readonly BaseMessage[] = [];
  const context = await host.play({
    files,
    window,
    steps,
    onPrompt: (messages) => void sizes.push(estimateTokens(messages)),
    beforeLast(messages) {
      during = messages;
      failing = 0;
    },
  });
  const happened = scriptedThread(steps, window);
  const before = await cameBack(during, happened.slice(0, -1), files);
  const unheld = await cameBack(during.map(withoutHeld), happened.slice(0, -1), files);
  const after = await cameBack(context, happened, files);
  return {
    host: host.name,
    window,
    steps,
    share,
    prompts: sizes.length,
    over: sizes.filter((size) => size > window).length,
    largest: Math.max(...sizes),
    lostDuring: before.lostBytes,
    lostUnheld: unheld.lostBytes,
    lostAfter: after.lostBytes,
    heldAfter: heldOriginals(context).size,
    isSame: before.isSame && after.isSame,
  };
}

function withoutHeld(message: BaseMessage): BaseMessage {
  const fold = foldOf(message);
  if (fold?.held === undefined) return message;
  const { held: _, ...rest } = fold;
  return standIn(copyMessage(message, {}), rest, {});
}
