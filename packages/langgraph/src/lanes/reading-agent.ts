import type { Lane } from "@palimpsest/context";
import { AsyncLocalStorage } from "node:async_hooks";

/** Lane of the agent whose tool runs, where it calls a backend that other agents share. */
const reading = new AsyncLocalStorage<{ readonly lane: string | undefined }>();

/**
 * Runs a tool of an agent with a lane, or without one. A backend that several agents share, as in deepagents, finds out with
 * {@link readingLane} who reads. It is no part of the config: a client may send that.
 */
export function asAgentOf<Result>(lane: string | undefined, run: () => Result): Result {
  return reading.run({ lane }, run);
}

/** Returns the lane of the agent whose tool runs, if its options do not give one; undefined for an agent without a lane. */
export function readingLane(given: Lane | undefined): string | undefined {
  return given?.name ?? reading.getStore()?.lane;
}
