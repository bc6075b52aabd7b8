import { CheckpointError, type VfsSaver } from "@palimpsest/checkpoint";
import { firstSeen } from "../../shared/first-seen.js";
import type { StepRow } from "../../view.js";
import { stepsOf } from "../read-state.js";
import { listLanes } from "./list-lanes.js";
import { ThreadHistory } from "./thread-history.js";

/**
 * Reads every step of the newest branch of a thread, oldest first, each call and each fold at the step that made it. With
 * `onDamage`, a damaged checkpoint ends the reading, and the steps after it are returned. Throws an InspectorError for a thread
 * without checkpoints.
 */
export async function readRows(
  saver: VfsSaver,
  threadId: string,
  onDamage?: (error: Error) => void,
): Promise<readonly StepRow[]> {
  const history = new ThreadHistory(saver, threadId);
  await history.read().catch((error: unknown) => {
    if (onDamage === undefined || !CheckpointError.isInstance(error)) throw error;
    onDamage(error);
  });
  // Throws if the thread is not there.
  if (history.rows.length === 0) await stepsOf(saver, threadId);
  return firstSeen(history.rows, await listLanes(saver, threadId));
}
