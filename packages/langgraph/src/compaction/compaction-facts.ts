import type { BaseMessage } from "@langchain/core/messages";
import { withIds, type Rewrite } from "@palimpsest/context";
import { foldCovered, unchanged, type ContextMeasure } from "@palimpsest/context/internal";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { agentRequest } from "./agent-request.js";
import type { LadderReason } from "./compaction-due.js";
import { withPins } from "./pins.js";

/** What `compactThread` asks for. */
export interface HostRequest {
  /** `archive` leaves a note in place of a summary. @default "summarize" */
  readonly strategy?: "summarize" | "archive" | undefined;
  /** Id of the message above which everything is folded. @default what `keep` leaves */
  readonly above?: string | undefined;
}

/** A compaction that is due: all that its plan depends on. */
export interface CompactionFacts {
  /** Every message has an id. Excludes the messages that a provider's compaction covers: see `covered`. */
  readonly messages: readonly BaseMessage[];
  /** Removes the messages that a provider's compaction covers; applied together with the compaction. */
  readonly covered: Rewrite;
  /** `pin` returns true for every message that stays verbatim, including those of marks, `pinTools` and `pinFiles`. */
  readonly options: ResolvedOptions;
  readonly measure: ContextMeasure;
  readonly reason: LadderReason;
  /** `archive` leaves a note in place of a summary, and calls no model. */
  readonly strategy: "summarize" | "archive";
  /** Id of the message above which everything is folded. */
  readonly above: string | undefined;
  /** Goes straight to the summary. */
  readonly summaryOnly: boolean;
  /** Lists the agent's phrases of doubt in the summary. */
  readonly preserveMarkers: boolean;
  /** Why the agent asked, in its own words. */
  readonly agentReason: string | undefined;
}

interface FactsOptions {
  readonly options: ResolvedOptions;
  readonly measure: ContextMeasure;
  readonly reason: LadderReason;
  readonly request?: HostRequest | undefined;
  readonly only?: "summary";
}

/** Returns the facts of a compaction for a reason, with what the host, or for `agent` the agent, asked for. Pure. */
export function compactionFacts(
  messages: readonly BaseMessage[],
  { options, measure, reason, request, only }: FactsOptions,
): CompactionFacts {
  const list = withIds(messages);
  const agent = reason === "agent" ? agentRequest(list) : undefined;
  const preserveMarkers = agent?.preserveMarkers ?? true;
  // An agent that asks not to list its doubts does not want to keep messages for them either.
  const { markers, ...rest } = options;
  const wanted = withPins(list, preserveMarkers || markers === undefined ? options : rest);
  const covered = request?.above === undefined ? foldCovered(list, { ...wanted, reason }) : unchanged(list);
  return {
    messages: covered.messages,
    covered,
    options: wanted,
    measure,
    reason,
    strategy: (request ?? agent)?.strategy ?? "summarize",
    above: request?.above,
    summaryOnly: only === "summary",
    preserveMarkers,
    agentReason: agent?.reason,
  };
}
