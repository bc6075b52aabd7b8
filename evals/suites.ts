import type { Suite } from "./suite.js";

/** Every suite by name, in the order of the report; loaded when it is run. */
export const suites: Readonly<Record<string, () => Promise<Suite>>> = {
  replay: async () => (await import("./replay/replay.js")).replay,
  provenance: async () => (await import("./provenance/provenance.js")).provenance,
  locomo: async () => (await import("./locomo/locomo.js")).locomo,
  notes: async () => (await import("./notes/notes.js")).notes,
  cloze: async () => (await import("./cloze/cloze.js")).cloze,
  cost: async () => (await import("./cost/cost.js")).cost,
  table: async () => (await import("./table/table.js")).table,
  counter: async () => (await import("./counter/counter.js")).counter,
  retention: async () => (await import("./retention/retention.js")).retention,
  recall: async () => (await import("./recall/recall.js")).recall,
  facts: async () => (await import("./facts/facts.js")).facts,
  targeted: async () => (await import("./targeted/targeted.js")).targeted,
  prefix: async () => (await import("./prefix/prefix.js")).prefix,
  horizon: async () => (await import("./horizon/horizon.js")).horizon,
  folding: async () => (await import("./folding/folding.js")).folding,
  predictive: async () => (await import("./predictive/predictive.js")).predictive,
  fit: async () => (await import("./predictive/fit/fit.js")).fit,
  failures: async () => (await import("./failures/failures.js")).failures,
  readers: async () => (await import("./readers/readers.js")).readers,
  sessions: async () => (await import("./sessions/sessions.js")).sessions,
  compactions: async () => (await import("./compactions/compactions.js")).compactions,
  compactbench: async () => (await import("./compactbench/compactbench.js")).compactbench,
  contextbench: async () => (await import("./contextbench/contextbench.js")).contextbench,
  attack: async () => (await import("./attack/attack.js")).attack,
};
