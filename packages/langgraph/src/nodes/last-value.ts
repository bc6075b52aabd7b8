import { channelValue } from "../options/require-channels.js";
import type { NodeConfig } from "../run-config.js";
import { writeState } from "../run/node-state.js";

/**
 * Returns whether a channel of the running graph has no reducer: it takes the one value that is written in a step as it is, so that an
 * overwrite would be its value.
 *
 * Nothing that a node gets says so. So it writes an empty list, which no reducer keeps as it is, reads the channel as the task sees
 * it, and takes the write back.
 */
export function takesLastValue(key: string, config: NodeConfig | undefined): boolean {
  const probe: unknown[] = [];
  // LangGraph (1.x) keeps this very pair until the node ends.
  const write: [channel: string, value: unknown] = [key, probe];
  try {
    return config !== undefined && writeState([write], config) && channelValue(config, key) === probe;
  } catch {
    // A reducer may throw for what it does not know.
    return false;
  } finally {
    // Its name for a write of nothing.
    write[0] = "__no_writes__";
    write[1] = null;
  }
}
