import type { BaseMessage } from "@langchain/core/messages";
import { Annotation, ReducedValue, StateSchema } from "@langchain/langgraph";
import { registry } from "@langchain/langgraph/zod";
import { mergeFiles, type Files, type FilesUpdate } from "@palimpsest/vfs";
import { z } from "zod";
import { mergeCompaction, type CompactionState } from "./compaction-state.js";

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
