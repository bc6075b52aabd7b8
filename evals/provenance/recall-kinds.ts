import type { StepRecall } from "../metrics/provenance.js";

/** The atoms over which a recall is computed. */
export type RecallKind = keyof Omit<StepRecall, "tokens">;

export const recallKinds: Readonly<Record<RecallKind, string>> = {
  all: "what the next call needs",
  far: "what the next call needs from more than 10 chunks ago",
  lines: "the lines that the next call edits",
  farLines: "the edited lines from more than 10 chunks ago",
};
