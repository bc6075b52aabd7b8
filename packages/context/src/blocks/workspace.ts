import type { BaseMessage } from "@langchain/core/messages";
import { isSummary } from "../plan-summary.js";
import { isAi } from "../tool-calls.js";
import { foldUnits, type FoldUnit } from "./fold-units.js";

/** A context as the folding agent sees it: `C_t = (goal, tools, summaries, latest interaction)`. */
export interface Workspace {
  /** All that the model has answered to: blocks, interactions that are not folded yet, and the user's words. */
  readonly past: readonly FoldUnit[];
  /** From the model's newest message on. It has not been shown what came after that. */
  readonly latest: readonly BaseMessage[];
  /** All units, those of the latest interaction included. */
  readonly units: readonly FoldUnit[];
  /** Number of the latest interaction; 0 before the model has said anything. */
  readonly step: number;
}

/** Returns what may be folded and what may not. Pure; together the parts are the messages, in order. */
export function workspaceOf(messages: readonly BaseMessage[]): Workspace {
  const units = foldUnits(messages);
  const newest = units.findLastIndex((unit) => unit.kind === "raw" && unit.messages.some((one) => isAi(one)));
  // Without a message of the model, a stand-in tells how far it has seen.
  const start = newest >= 0 ? newest : units.findLastIndex((unit) => unit.messages.some(isSummary)) + 1;
  return {
    units,
    past: units.slice(0, start),
    latest: units.slice(start).flatMap((unit) => unit.messages),
    step: units[start]?.endStep ?? units.at(-1)?.endStep ?? 0,
  };
}
