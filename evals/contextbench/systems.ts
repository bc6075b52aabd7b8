import { summarizingSystems, trimmingSystem, type CompactingSystem } from "../compactbench/systems.js";
import { MeteredWriter } from "../cost/summary-meter.js";
import { recency } from "../policies/recency.js";
import { fullHistory } from "../policies/unbudgeted.js";

/** Those that compact do so at .85 of the window, keep a tenth, and get the same summary model. */
export const playedSystems: readonly CompactingSystem[] = [
  { name: "full history", isControl: true, start: (options) => fullHistory.start(options) },
  ...summarizingSystems("Palimpsest ladder", ({ budget, meter }) => new MeteredWriter(budget, meter)),
  // The setting that suits an agent: a prompt may start with a call, not only with a message of the user.
  trimmingSystem("starts with a call"),
  { name: "recency", start: (options) => recency.start(options) },
];
