import type { VfsSaver } from "@palimpsest/checkpoint";
import type { StepRow } from "../../view.js";
import { ThreadHistory } from "./thread-history.js";

/** Reads every step of a thread, oldest first. */
export async function readRows(saver: VfsSaver, threadId: string): Promise<readonly StepRow[]> {
  const history = new ThreadHistory(saver, threadId);
  await history.read();
  return history.rows;
}
