import type { BaseMessage } from "@langchain/core/messages";
import { withIds, type Rewrite } from "@palimpsest/context";
import { foldCovered, unchanged, type ContextMeasure } from "@palimpsest/context/internal";
import type { CommitOptions } from "../run/commit.js";
import type { CompactionState } from "../run/context-state.js";
import { notedState } from "../run/node-state.js";
import { reporter } from "../run/reporter.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { optionsOfRun } from "../run/run-options.js";
import { agentRequest, type LadderReason } from "./compaction-due.js";
import { withPins } from "./pins.js";

export interface CompactInput {
  readonly messages: readonly BaseMessage[];
  readonly state?: CompactionState | undefined;
  readonly config?: NodeConfig | undefined;
  /** Names the files of a run without a `thread_id`. @default the scope in `state` */
  readonly scope?: string | undefined;
  /** Compacts whatever the size, because the provider has refused the prompt. */
  readonly overflow?: boolean;
  /** The host asks for a compaction, whatever the size. */
  readonly request?: HostRequest | undefined;
  /** Goes straight to the summary: no offloading, no cheaper rung. */
  readonly only?: "summary";
}

/** What `compactThread` asks for. */
export interface HostRequest {
  /** `archive` leaves a note in place of a summary. @default "summarize" */
  readonly strategy?: "summarize" | "archive" | undefined;
  /** Id of the message above which everything is folded. @default what `keep` leaves */
  readonly above?: string | undefined;
}

export interface CompactOutcome {
  /** The context; the same array as the input if nothing changed. */
  readonly messages: readonly BaseMessage[];
  /** Update for the `compaction` channel. */
  readonly state?: CompactionState;
}

/** Options and tools of one run of a node, built once. */
export interface RunContext extends CommitOptions {
  readonly options: ResolvedOptions;
}

/** Returns the name of the thread of a run. Hot path: only a run without a `thread_id` looks for a scope in its state. */
export function threadOf({ messages, config, state, scope }: ThreadInput): string | undefined {
  return threadIdOf(config, scope) ?? threadIdOf(config, (state ?? notedState(messages))?.scope);
}

type ThreadInput = Pick<CompactInput, "messages" | "config" | "state" | "scope">;

/** Returns the context of a run, or undefined for a thread without a name, which cannot have an archive. */
export function runContext(
  { messages, config, state, scope }: ThreadInput,
  resolved: ResolvedOptions,
): RunContext | undefined {
  const threadId = threadOf({ messages, config, state, scope });
  if (threadId === undefined) return undefined;
  const report = reporter(resolved, config, threadId);
  const options = optionsOfRun(resolved, { config, report });
  const archive = options.files.archive(threadId);
  const seal = options.files.seal(threadId);
  return { options, report, archive, seal, signal: config?.signal, onError: options.onError };
}

/** A compaction that is due: all that its plan depends on. */
export interface CompactionStep {
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

interface StepOptions extends Pick<CompactInput, "request" | "only"> {
  readonly options: ResolvedOptions;
  readonly measure: ContextMeasure;
  readonly reason: LadderReason;
}

/** Returns the compaction step for a reason, with what the host, or for `agent` the agent, asked for. Pure. */
export function compactionStep(
  messages: readonly BaseMessage[],
  { options, measure, reason, request, only }: StepOptions,
): CompactionStep {
  const named = withIds(messages);
  const agent = reason === "agent" ? agentRequest(named) : undefined;
  const preserveMarkers = agent?.preserveMarkers ?? true;
  // An agent that asks not to list its doubts does not want to keep messages for them either.
  const { markers, ...rest } = options;
  const wanted = withPins(named, preserveMarkers || markers === undefined ? options : rest);
  const covered = request?.above === undefined ? foldCovered(named, { ...wanted, reason }) : unchanged(named);
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
