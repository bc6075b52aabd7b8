import type { BaseMessage } from "@langchain/core/messages";
import { Annotation, ReducedValue, StateSchema } from "@langchain/langgraph";
import { registry } from "@langchain/langgraph/zod";
import type { Goal } from "@palimpsest/context/folding";
import type { CallBill, ContextPart, OverflowReason, ThreadPace } from "@palimpsest/context/internal";
import { mergeFiles, type Files, type FilesUpdate } from "@palimpsest/vfs";
import { z } from "zod";
import type { SentPrefix } from "../epochs/sent-prefix.js";
import type { LaneUse } from "../lanes/lane-use.js";
import type { FailedRung, NextRung, SkipReason } from "../context-event.js";

const filesSchema = z.custom<Files>().default(() => ({}));
const filesInput = z.custom<FilesUpdate | undefined>().optional();
const compactionSchema = z.custom<CompactionState>().default(() => ({}));
const compactionInput = z.custom<CompactionState | undefined>().optional();

/** State channel of the agent's files: path to entry. It holds no bytes, so checkpoints stay small. */
export const filesValue = new ReducedValue(filesSchema, { inputSchema: filesInput, reducer: mergeFiles });

/** State channel with what compaction remembers between steps. */
export const compactionValue = new ReducedValue(compactionSchema, {
  inputSchema: compactionInput,
  reducer: mergeCompaction,
});

/** Channels for a `StateSchema`: `new StateSchema({ messages: MessagesValue, ...contextState })`. */
export const contextState = { files: filesValue, compaction: compactionValue };

/** Channels for `Annotation.Root({ ...MessagesAnnotation.spec, ...contextAnnotation })`. */
export const contextAnnotation = {
  files: Annotation<Files, FilesUpdate | undefined>({ reducer: mergeFiles, default: () => ({}) }),
  compaction: Annotation<CompactionState, CompactionState | undefined>({
    reducer: mergeCompaction,
    default: () => ({}),
  }),
};

/** Channels for a zod state: `z.object({ messages: …, ...contextZodShape })`. */
export const contextZodShape = {
  files: filesSchema.register(registry, {
    reducer: { fn: mergeFiles, schema: filesInput },
    default: () => ({}),
  }),
  compaction: compactionSchema.register(registry, {
    reducer: { fn: mergeCompaction, schema: compactionInput },
    default: () => ({}),
  }),
};

/**
 * The `input` of a node in a graph whose state you cannot change: `addNode("compact", node, { input: contextInput })`.
 *
 * Registers the channels on that graph, so its own state stays as it is; `messages` keeps its type. Tools that touch the
 * agent's files need it on their `ToolNode` as well.
 */
export const contextInput = new StateSchema({ messages: z.custom<BaseMessage[]>(), ...contextState });

/**
 * Returns the `input` of a node whose options have an `inputKey` or an `outputKey`: it also registers these channels if the
 * graph lacks them. A node that reads the context, such as the model node, needs the same `input`.
 */
export function contextInputFor({ inputKey = "messages", outputKey = inputKey }: ContextKeys = {}) {
  const messages = z.custom<BaseMessage[]>();
  return new StateSchema({ [inputKey]: messages, [outputKey]: messages, ...contextState });
}

/** The state keys of the thread and of the context, as in the options of a node. */
export interface ContextKeys {
  /** @default "messages" */
  readonly inputKey?: string;
  /** @default `inputKey` */
  readonly outputKey?: string;
}

/** A pause after a failure of the summary model: the first step that calls it again, and the length in steps. */
export interface SummaryPause {
  readonly until: number;
  readonly steps: number;
}

/** How often an agent asks again for what was folded. */
export interface Regret {
  /** Id of the newest message that was looked at. */
  readonly upTo: string;
  /** 0 to 8: how much more a fold keeps. */
  readonly level: number;
  /** Folds since the last request, or since the level fell. */
  readonly quiet: number;
  /** Digests of the newest calls that were folded, oldest first. */
  readonly folded: readonly string[];
}

/** What compaction keeps between steps, in the state channel `compaction`. All fields are optional. */
export interface CompactionState {
  /** With `keepThread`: what the context differs in from the thread; undefined if it differs in nothing. */
  readonly context?: readonly ContextPart[] | undefined;
  /** Tokens of the agent's context window, if a middleware has read them from the profile of the agent's model. */
  readonly contextWindow?: number;
  /** Tokens that are sent beside the messages (system prompt, tool schemas), as last measured. */
  readonly overheadTokens?: number;
  /** Archive path of the system prompt and the tools, as last sent: the inspector shows them. */
  readonly prompt?: string;
  /** Tokens of the provider per token of the counter, as last measured. */
  readonly tokenRatio?: number;
  /** Share by which prompts were under-counted, as last measured. */
  readonly countError?: number | undefined;
  /** Names the files of a run without a `thread_id`. Random, so that nobody else can name them. */
  readonly scope?: string;
  /** Id of the newest message when folds were last opened: usage reported up to it is out of date. */
  readonly unfoldedAt?: string;
  /** Id of the newest message when the host had last changed what was sent: usage reported up to it may be too small. */
  readonly editedAt?: string;
  /** Size at which a due compaction was last refused: it is not tried again before the context has grown. */
  readonly refusedAt?: number;
  /** Reason of that refusal: a reason is reported once, not at every attempt. "" after a compaction. */
  readonly refusedFor?: SkipReason | "";
  /** The overflow that was reported last; undefined once the prompt fits again. */
  readonly overflow?: { readonly reason: OverflowReason; readonly tokens: number } | undefined;
  /** Id of the newest message when the model was last called again because its answer ended at the window. */
  readonly retriedAt?: string | undefined;
  /** A report of usage that cannot be true has been told of. */
  readonly disputedUsage?: boolean;
  /** Lines about the fill of the window that were sent since the last compaction, oldest first. */
  readonly budgetLines?: readonly BudgetLine[];
  /** What the planner remembers of the last compaction. */
  readonly planner?: PlannerState;
  /** The span whose summary is prepared. */
  readonly prepared?: PreparedSpan | undefined;
  /** Time of the last model call; written where a planner needs it and no message records it. */
  readonly lastCall?: LastCall;
  /** The prefix that was sent last, if the model reasons: reasoning is valid only after this prefix. */
  readonly prefix?: SentPrefix | undefined;
  /** Goals of a thread whose context folds, oldest first; the last one is current. */
  readonly goals?: readonly Goal[];
  /** Id of the message of the model whose fold directive was read last. */
  readonly directedBy?: string;
  /** During this pause, automatic summaries of single steps are extracted without the model. */
  readonly microPause?: SummaryPause | undefined;
  /** What the agent has asked for again after it was folded; with the option `regret`. */
  readonly regret?: Regret;
  /** Id of the message with which the row of calls began that was last told of as drifting. */
  readonly drift?: string;
  /** What failed in the newest step in which something failed, oldest first: the inspector shows it at that step. */
  readonly failures?: readonly StepFailure[];
  /** Where the agent's folds are, if it has a lane and has folded: its result carries it to the agent that called it. */
  readonly lane?: LaneUse;
  /** The `inputKey` of the context that these fields are about: the first one of the graph. @default "messages" */
  readonly inputKey?: string;
  /** The fields of further contexts of the graph, by `inputKey`. */
  readonly others?: Readonly<Record<string, CompactionState>>;
}

/** A failure that the agent went on after, as `context.fail` reports it. */
export interface StepFailure {
  readonly rung: FailedRung;
  readonly next: NextRung;
  /** The message of the error, cut to 300 characters. */
  readonly text: string;
  /** Id of the newest message at the step; "" without one. */
  readonly after: string;
}

/**
 * Returns `current` with the fields of `update` merged into those of the same `inputKey`. Accepts undefined and null. Pure,
 * idempotent.
 */
export function mergeCompaction(
  current: CompactionState | null | undefined,
  update: CompactionState | null | undefined,
): CompactionState {
  if (!current || !update || isOf(current, keyOf(update))) return { ...current, ...update };
  const { inputKey: _, ...fields } = update;
  const others = { ...current.others, [keyOf(update)]: { ...otherOf(current, keyOf(update)), ...fields } };
  // One scope names the files of all contexts of a run.
  const { scope = fields.scope } = current;
  return { ...current, ...(scope !== undefined && { scope }), others };
}

/** Returns what compaction remembers of the context with an `inputKey`, from the value of the channel. Pure. */
export function compactionOf(channel: CompactionState, inputKey: string): CompactionState {
  if (isOf(channel, inputKey)) return channel;
  const { scope } = channel;
  return { ...(scope !== undefined && { scope }), ...otherOf(channel, inputKey) };
}

/** Returns an update of the channel that {@link mergeCompaction} merges into the fields of an `inputKey`. Pure. */
export function updateOf(compaction: CompactionState, inputKey: string): CompactionState {
  return inputKey === "messages" ? compaction : { ...compaction, inputKey };
}

/** True for the context whose fields the channel holds directly: the first that was written. */
function isOf(channel: CompactionState, inputKey: string): boolean {
  return Object.keys(channel).length === 0 || keyOf(channel) === inputKey;
}

function keyOf({ inputKey = "messages" }: CompactionState): string {
  return inputKey;
}

function otherOf({ others = {} }: CompactionState, inputKey: string): CompactionState {
  return Object.hasOwn(others, inputKey) ? (others[inputKey] ?? {}) : {};
}

/** A line that is sent at the end of a message without being part of the thread. */
export interface BudgetLine {
  /** Id of the message. */
  readonly after: string;
  readonly text: string;
}

/** What the planner remembers of the last compaction. Money is in the currency of the prices. */
export interface PlannerState {
  /** Number and tokens of all folded steps. */
  readonly folded: ThreadPace;
  /** Steps of the thread at the last compaction. */
  readonly steps: number;
  /** What that compaction cost, and what it has saved in each step since. */
  readonly cost: number;
  readonly savingPerStep: number;
  /** The first call after it: the id of the newest message that it was sent, and its bill as predicted. */
  readonly firstCall?: { readonly after: string; readonly predicted: CallBill };
}

/** Time of the last model call, as recorded by the node before the model. */
export interface LastCall {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Id of the newest message that it was sent. */
  readonly after: string;
}

/** A span whose summary is being prepared, or is in the archive. */
export interface PreparedSpan {
  /** Id of the newest message of the span. */
  readonly upTo: string;
  /** Digest of all its messages: the summary is valid only for exactly these. */
  readonly digest: string;
}
