// The data that the server sends or a report holds, and the page shows. Plain JSON; tokens are estimates on the scale of the provider.

/** The parts of a prompt, in the order in which the timeline stacks them. */
export const parts = [
  "system",
  "user",
  "assistant",
  "reasoning",
  "results",
  "previews",
  "summaries",
  "blocks",
] as const;

export type Part = (typeof parts)[number];

export interface FoldView {
  readonly id: string;
  readonly kind: string;
  /** Why the fold was made, such as `trigger`; empty when it was not recorded. */
  readonly reason: string;
  /** How many messages it covers. */
  readonly messages: number;
  readonly before: number;
  readonly after: number;
  /** Archive path that the model sees. */
  readonly path: string;
  /** Tokens of the model calls that wrote its summary; null if none was called. */
  readonly usage: ModelUsage | null;
}

/** A call of the model, known from its reply, which a checkpoint added to the messages that the call was sent. */
export interface CallView {
  /** Id of the reply. */
  readonly id: string | null;
  /** Messages before the reply: those that the model was sent. */
  readonly sent: number;
  /** Tokens of the prompt by part, in the order of `parts`. They add up to what the model reported, if it did. */
  readonly tokens: readonly number[];
  /** Null if the model reported nothing. */
  readonly reported: ModelUsage | null;
  /** Tokens of the prompt as the inspector counts them: all messages before the reply, and what is sent beside them if that is known. */
  readonly prompt: number;
  /** True if no step has measured what is sent beside the messages, such as tools. */
  readonly isBare: boolean;
  readonly reply: number;
  /** Tokens of the messages that were sent, of the estimator, without system messages. */
  readonly counted: number;
}

/** Something that failed at a step. */
export interface FaultView {
  /** What failed: `tool`, or a rung such as `summary` or `archive`, after which the agent went on. */
  readonly what: string;
  /** Id of the result of a failed tool call; null for a rung. */
  readonly message: string | null;
  /** What the error says, on one line. */
  readonly text: string;
}

/** One checkpoint of a branch as the timeline shows it. Only those with calls are prompts: a model was sent no other state. */
export interface StepRow {
  /** Id of the checkpoint. */
  readonly id: string;
  /** The step of its run; null if the host gave none. */
  readonly step: number | null;
  /** ISO 8601 time. */
  readonly at: string;
  /** Tokens of the messages at the checkpoint by part, in the order of `parts`; estimates. */
  readonly tokens: readonly number[];
  readonly messages: number;
  /** Leading messages that are equal to those of the checkpoint before. */
  readonly unchanged: number;
  /** Tokens of them, with what is sent beside the messages; 0 at the first checkpoint. */
  readonly unchangedTokens: number;
  /** True if messages before the end changed: the earlier prompt is no longer a prefix of this one. */
  readonly isEpoch: boolean;
  /** Folds of this context that its parent did not have. One that was only hidden inside another is among them: see `firstSeen`. */
  readonly folds: readonly FoldView[];
  /** Ids of the folds that the checkpoint opened: their originals are back. */
  readonly opened: readonly string[];
  readonly faults: readonly FaultView[];
  /** Calls whose replies this checkpoint added, oldest first. A reply that is unfolded again is added again. */
  readonly calls: readonly CallView[];
  /** The newest message on one line. */
  readonly label: string;
}

/** A branch of a thread beside the shown one. */
export interface BranchView {
  /** Id of its newest checkpoint. */
  readonly tip: string;
  /** Id of the newest checkpoint that it shares with the shown branch; null if it shares none. */
  readonly at: string | null;
  /** ISO 8601 times of its first and its last checkpoint of its own. */
  readonly from: string;
  readonly to: string;
  readonly checkpoints: number;
  /** Whether it holds the newest checkpoint of all. */
  readonly isNewest: boolean;
}

/** A line of the stream of a timeline. */
export type TimelineLine =
  /** Rows before those already sent, oldest first. */
  | { readonly type: "earlier"; readonly rows: readonly StepRow[] }
  /** Rows after those already sent, oldest first. */
  | { readonly type: "later"; readonly rows: readonly StepRow[] }
  /** All existing rows were sent; more follow when the agent goes on. */
  | { readonly type: "whole"; readonly window: number | null }
  /** Another branch is the newest: ask again for the newest branch. */
  | { readonly type: "moved" }
  | { readonly type: "error"; readonly message: string };

export interface ToolCallView {
  readonly name: string;
  /** JSON; the first characters of it. */
  readonly args: string;
  /** Characters of the whole JSON. */
  readonly characters: number;
}

export interface MessageView {
  readonly id: string | null;
  /** Position in the whole thread, counted from 0; null for a stand-in of several messages, and until it is known. */
  readonly place: number | null;
  readonly type: string;
  readonly name: string | null;
  /** The first characters of the text. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly characters: number;
  readonly reasoning: string;
  readonly calls: readonly ToolCallView[];
  /** Whether it is the result of a tool call that failed. */
  readonly isFailed: boolean;
  readonly tokens: number;
  readonly part: Part;
  readonly fold: FoldView | null;
}

export interface FileView {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** ISO 8601 time; empty for a file of the archive. */
  readonly modifiedAt: string;
}

export interface StepView {
  readonly row: StepRow;
  /** The messages that the model is sent. Places are a separate request, because they need the whole thread. */
  readonly context: readonly MessageView[];
  readonly files: readonly FileView[];
  /** What was sent beside the messages; null if the host did not keep it. */
  readonly prompt: PromptView | null;
}

/** A system prompt and tools, which are a file of the archive. */
export interface PromptView {
  readonly path: string;
  /** Characters of the system prompt. */
  readonly characters: number;
  /** Number of tools. */
  readonly tools: number;
}

/** The places of a step's context in the whole thread of the newest state. */
export interface PlacesView {
  /** The place of each message of the context; null for one that is not in the thread, such as a summary. */
  readonly places: readonly (number | null)[];
  /** How many messages of the thread there were at the step; 0 before the first. */
  readonly happened: number;
}

export interface ThreadView {
  readonly thread: string;
  /** ISO 8601 time of the newest checkpoint; empty if it is damaged. */
  readonly newest: string;
  /** Why it cannot be read; undefined if it can. */
  readonly damage?: string;
}

/** The messages that a search has found, and the threads that it could not read. */
export interface SearchView {
  readonly hits: readonly SearchHit[];
  readonly unread: readonly Required<Pick<ThreadView, "thread" | "damage">>[];
}

/** When a subagent ran. */
export interface LaneView {
  readonly name: string;
  /** Its own thread; null for a run of a subgraph. */
  readonly thread: string | null;
  /** Of the checkpoints of a run of a subgraph. Null for a thread. */
  readonly namespace: string | null;
  /** ISO 8601 times of its first and its last checkpoint. */
  readonly from: string;
  readonly to: string;
  readonly checkpoints: number;
}

/** What the archive of a thread holds. */
export interface ArchiveSize {
  /** Folds that were ever made, nested ones included. Folds of equal content share a file and count once. */
  readonly folds: number;
  readonly archiveFiles: number;
  readonly archiveBytes: number;
}

export interface ThreadArchive extends ArchiveSize {
  readonly thread: string;
}

export interface ThreadSize extends ArchiveSize {
  readonly checkpoints: number;
}

export interface SearchHit {
  readonly thread: string;
  /** Of the run of a subgraph; empty for the agent of the thread. */
  readonly namespace: string;
  /** Position in the whole thread, counted from 0. */
  readonly place: number;
  readonly type: string;
  readonly id: string | null;
  /** Whether the newest context shows the message word for word. */
  readonly isInContext: boolean;
  readonly excerpt: string;
}

export interface Difference {
  readonly change: "added" | "removed" | "changed";
  readonly what: "message" | "file" | "system prompt" | "tool";
  /** The id of the message, the path of the file, or the name of the tool; empty for the system prompt. */
  readonly name: string;
  readonly text: string;
}

/** Tokens that one model reported. */
export interface ModelUsage {
  readonly model: string;
  readonly calls: number;
  readonly input: number;
  readonly cached: number;
  readonly cacheWrites: number;
  readonly output: number;
}

export interface TextView {
  readonly text: string;
  /** Characters of the whole text; `text` holds its beginning. */
  readonly characters: number;
}

/** The action of a fork. */
export type Act =
  /** Goes on from the step as it is. */
  | { readonly action: "resume" }
  /** Opens one fold by one level. */
  | { readonly action: "unfold"; readonly fold: string }
  /** Folds everything before a message. */
  | { readonly action: "compact"; readonly message: string }
  /** Keeps a message word for word from now on. */
  | { readonly action: "pin"; readonly message: string };

/** The checkpoint that is forked: the new one has it as its parent. */
export type ForkRequest = Act & { readonly thread: string; readonly at: string };

export interface ForkPlan {
  /** Sentences that say what is written. */
  readonly lines: readonly string[];
}

export interface WrittenFork {
  /** Id of the new checkpoint. */
  readonly checkpoint: string;
}
