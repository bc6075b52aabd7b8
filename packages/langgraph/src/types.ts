// Types of options, events and results, for the signatures of hosts.
export type { SummaryModel } from "./options/context-options.js";
export type { Routes, SafetyNetOptions } from "./conditions/compaction-condition.js";
export type { OverflowRoutes } from "./conditions/overflow-condition.js";
export type {
  CompactionReason,
  FailedRung,
  FirstCall,
  NextRung,
  PlannedBill,
  RetryReason,
  SkipReason,
} from "./context-event.js";
export type { LogRecord } from "./telemetry/log-record.js";
export type { BudgetLevel, PlannerOptions, RunSettings } from "./options/context-options.js";
export type { LastCall, PlannerState, PreparedSpan } from "./run/context-state.js";
export type { NodeConfig } from "./run-config.js";
export type { LaneUse } from "./lanes/lane-use.js";
export type { DirectiveForm, FoldViewOptions } from "./folding/fold-view.js";
export type { FailedNode } from "./nodes/overflow-error-handler.js";
export type { GlimpseToolOptions } from "./predictive/glimpse-tool.js";
export type { FileToolsOptions } from "./tools/file-tool.js";
export type { InvokableTool } from "./tools/offload-tools.js";
export type { SearchHistoryToolOptions } from "./tools/search/search-history-tool.js";
export type { UnfoldToolOptions } from "./tools/unfold-tool.js";
export type { MemoryHit, MemoryHits, ToolMemory } from "./tools/tool-memory.js";
export type { ConsolidateNodeOptions } from "./memory/consolidate-node.js";
export type { Episode, EpisodeStoreOptions } from "./memory/episode-store.js";
export type { Note } from "./memory/note.js";
export type {
  Consolidation,
  ConsolidateOptions,
  ScopeMemoryOptions,
  TurnPlace,
} from "./memory/scope-memory.js";
export type { ScopeSearchOptions } from "./memory/scope-search.js";
