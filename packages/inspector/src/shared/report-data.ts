import type {
  FileView,
  LaneView,
  MessageView,
  ModelUsage,
  PlacesView,
  PromptView,
  StepRow,
  ThreadSize,
  ThreadView,
} from "../view.js";
import type { AgentView } from "./agent-view.js";
import type { Savings } from "./cost/savings.js";
import type { ReworkView } from "./rework-view.js";
import type { WhyView } from "./why-view.js";

/**
 * One thread as a report holds it, without the contents of its files. Each message and each file is held once, and named by
 * its position in `messages` or `files`.
 */
export interface ReportData extends ReportedRun {
  readonly thread: ThreadView;
  readonly size: ThreadSize;
  readonly messages: readonly MessageView[];
  readonly files: readonly FileView[];
  /** Texts of the system prompts and tools, by their paths. */
  readonly prompts: Readonly<Record<string, string>>;
  /** The runs of subgraphs, by their namespaces. */
  readonly runs: Readonly<Record<string, ReportedRun>>;
}

/** The part of a report for the agent of its thread, or for one run of a subgraph. */
export interface ReportedRun {
  /** Tokens; null if unknown. */
  readonly window: number | null;
  /** Oldest first. */
  readonly rows: readonly StepRow[];
  /** The messages that the model was sent at each row, and the files at that time. */
  readonly steps: readonly ReportStep[];
  /** All messages as they happened. */
  readonly happened: readonly number[];
  /** Whole texts of the messages whose view has only their beginning, by place; arguments of calls by place and call, as `12.0`. */
  readonly texts: Readonly<Record<string, string>>;
  /** The messages that each fold opens to by one level, by the id of the fold. */
  readonly opened: Readonly<Record<string, readonly number[]>>;
  /** The rows at which each message was in the context, by its id: positions, both inclusive. */
  readonly sights: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  /** What became of each message, by place. */
  readonly whys: readonly WhyView[];
  readonly rework: readonly ReworkView[];
  readonly usage: readonly ModelUsage[];
  readonly savings: Savings;
  /** The subagents that are runs of subgraphs, as a tree. */
  readonly agents: readonly AgentView[];
  readonly lanes: readonly LaneView[];
}

export interface ReportStep {
  readonly context: readonly number[];
  readonly places: PlacesView;
  readonly files: readonly number[];
  readonly prompt: PromptView | null;
}
