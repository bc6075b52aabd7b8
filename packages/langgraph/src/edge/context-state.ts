import type { BaseMessage } from "@langchain/core/messages";
import { Annotation, ReducedValue, StateSchema } from "@langchain/langgraph";
import { registry } from "@langchain/langgraph/zod";
import type { Goal } from "@palimpsest/context/folding";
import type { CallBill, OverflowCause, PrefixMark, ThreadPace } from "@palimpsest/context/internal";
import { mergeFiles, type Files, type FilesUpdate } from "@palimpsest/vfs";
import { z } from "zod";
import type { SkipCause } from "./context-event.js";

const filesSchema = z.custom<Files>().default(() => ({}));
const filesInput = z.custom<FilesUpdate | undefined>().optional();
const compactionSchema = z.custom<CompactionState>().default(() => ({}));
const compactionInput = z.custom<CompactionState | undefined>().optional();

/** State channel of the agent's files: path to entry. Bytes are not in it, so a checkpoint stays small. */
export const filesValue = new ReducedValue(filesSchema, { inputSchema: filesInput, reducer: mergeFiles });

/** State channel of what compaction remembers between steps. */
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
 * The `input` of a node in a graph that somebody else wrote: `addNode("compact", node, { input: contextInput })`.
 *
 * Registers the channels on that graph, so its own state stays as it is; `messages` is read as whatever it is.
 * Tools that touch the agent's files need it on their `ToolNode` as well.
 */
export const contextInput = new StateSchema({ messages: z.custom<BaseMessage[]>(), ...contextState });

/**
 * The `input` of a node whose options have an `inputKey` or an `outputKey`: registers these channels as well where the graph
 * does not have them. A node that reads the context, such as the model's, needs the same `input`.
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

/** What compaction keeps between steps, in the state channel `compaction`. All fields are optional. */
export interface CompactionState {
  /** Tokens of the agent's context window, where a middleware has read them from the profile of the agent's model. */
  readonly contextWindow?: number;
  /** Tokens that are sent beside the messages (system prompt, tool schemas), as last measured. */
  readonly overheadTokens?: number;
  /** Tokens of the provider per token of the counter, as last measured. */
  readonly tokenRatio?: number;
  /** Names the files of a run that has no `thread_id`. Random: who does not know it cannot reach them. */
  readonly scope?: string;
  /** Id of the newest message when folds were last opened: usage reported up to it is out of date. */
  readonly unfoldedAt?: string;
  /** Size at which a due compaction was last refused: it is not tried again before the context has grown. */
  readonly refusedAt?: number;
  /** Why that was: a cause is reported once, not at every attempt. "" once there is none. */
  readonly refusedFor?: SkipCause | "";
  /** The overflow that was reported last; undefined once the prompt fits again. */
  readonly overflow?: { readonly cause: OverflowCause; readonly tokens: number } | undefined;
  /** Id of the newest message when the model was last called once more for an answer that ended at the window. */
  readonly retriedAt?: string | undefined;
  /** Lines on how full the window is that were sent with the messages since the last compaction, oldest first. */
  readonly budgetLines?: readonly BudgetLine[];
  /** What the planner remembers of the last compaction. */
  readonly planner?: PlannerState;
  /** The span whose summary is written ahead. */
  readonly prepared?: PreparedSpan | undefined;
  /** Time of the last model call; written where a planner needs it and no message records it. */
  readonly lastCall?: LastCall;
  /** What was sent last, where the model reasons: reasoning is valid only behind it. */
  readonly prefix?: SentPrefix | undefined;
  /** Goals of a thread whose context folds, oldest first; the last one is current. */
  readonly goals?: readonly Goal[];
  /** Id of the message of the model whose fold directive was read last. */
  readonly directedBy?: string;
  /** During the pause, automatic summaries of single steps are extracted without asking the model. */
  readonly microPause?: SummaryPause | undefined;
}

/** Returns `current` with the fields of `update` over it. Pure, idempotent, tolerates undefined and null. */
export function mergeCompaction(
  current: CompactionState | null | undefined,
  update: CompactionState | null | undefined,
): CompactionState {
  return { ...current, ...update };
}

/** A line that an agent is sent at the end of a message, and that is no part of the thread. */
export interface BudgetLine {
  /** Id of the message. */
  readonly after: string;
  readonly text: string;
}

/** The beginning of the prompt as it was sent last. */
export interface SentPrefix {
  /** Oldest first; their number grows with the logarithm of the messages. */
  readonly marks: readonly PrefixMark[];
  /** Digest of the system prompt and the tools, where a middleware sees them. */
  readonly frame?: string;
}

/** What the planner remembers of the last compaction. Money is in the currency of the prices. */
export interface PlannerState {
  /** The steps that were folded, in all, and their tokens. */
  readonly folded: ThreadPace;
  /** Steps of the thread at the last compaction. */
  readonly steps: number;
  /** What that compaction cost, and what every step since has saved by it. */
  readonly cost: number;
  readonly savingPerStep: number;
  /** The first call after it: the id of the newest message that it was sent, and its bill as predicted. */
  readonly firstCall?: { readonly after: string; readonly predicted: CallBill };
}

/** When the model was called last, as the node before it saw it. */
export interface LastCall {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Id of the newest message that it was sent. */
  readonly after: string;
}

/** A span whose summary is being written ahead, or is in the archive. */
export interface PreparedSpan {
  /** Id of the newest message of the span. */
  readonly upTo: string;
  /** Digest of all its messages: the summary is valid only for exactly these. */
  readonly digest: string;
}
