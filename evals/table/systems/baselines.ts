import { fullHistory } from "../../policies/unbudgeted.js";
import { recency } from "../../policies/recency.js";
import { playing } from "../play-system.js";
import type { TableSystem } from "../table-system.js";

/** What needs no package: everything, and the newest steps that fit. */
export const baselines: readonly TableSystem[] = [fullHistory, recency].map((policy) => ({
  name: policy.name,
  reads: "prompt",
  settings: { "–": playing(() => policy) },
}));
