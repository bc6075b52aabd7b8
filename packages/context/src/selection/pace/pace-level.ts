import type { PaceLevel } from "./pace-chunk.js";
import type { PaceThresholds } from "./pace-thresholds.js";

/** Returns the level of a chunk of this relative weight; on a threshold it is the lower one (PACE, 3.2 selection). Pure. */
export function paceLevel(relativeWeight: number, { brief, detailed, full }: PaceThresholds): PaceLevel {
  if (relativeWeight > full) return "full";
  if (relativeWeight > detailed) return "detailed";
  return relativeWeight > brief ? "brief" : "placeholder";
}
