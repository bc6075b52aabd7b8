import { ToolMessage, type BaseMessage, type ContentBlock } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import type { Lane } from "@palimpsest/context";
import { heldOriginals, requirePositive } from "@palimpsest/context/internal";
import {
  CompositeBackend,
  type Backend,
  type Files,
  type ThreadFiles,
  type VirtualFilesystem,
} from "@palimpsest/vfs";
import type { HeldFiles, ThreadSeal } from "@palimpsest/vfs/internal";
import type { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { readingLane } from "../lanes/reading-agent.js";
import { contextIn, scopeOf } from "../run/node-state.js";
import { reporter } from "../run/reporter.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { explained } from "./explain-files.js";
import { admitFolds } from "../run/sealed-folds.js";
import { roomOf } from "./result-room.js";
import { memoryMount, type ToolMemory } from "./tool-memory.js";

export interface FileToolsOptions {
  /** The filesystem of the nodes. */
  readonly files: VirtualFilesystem;
  /** Shows the other threads of the run's scope below `/threads/`, read-only. @default the thread alone */
  readonly memory?: ToolMemory;
  /**
   * Maximum characters of one result; a cut result says how to go on. @default 20,000, with `contextWindow` less than a quarter
   * of it
   */
  readonly resultCharacters?: number;
  /**
   * Tokens of the agent's context window. If known, a result takes less than a quarter of it by default, so that it is not
   * offloaded. @default unknown
   */
  readonly contextWindow?: number;
  /**
   * Milliseconds that one `grep` or `glob` may compute; after that it returns the matches so far, and says so.
   * @default 5,000
   */
  readonly searchTimeLimit?: number;
  /**
   * The lane of the agent, as in the options of its node: what other agents do not share, its tools do not find. @default that of the
   * `contextMiddleware` around the call, else none
   */
  readonly lane?: Lane;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
  /** State key of the context, as in the options of the node. @default `inputKey` */
  readonly outputKey?: string;
  /** Called where the files of the tools are not those of the node. Errors that it throws are ignored. */
  readonly onEvent?: (event: ContextEvent) => void;
}

interface FileToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** Returns the text for the agent, or blocks with an image or a file. An error is also a text, and says what to do next. */
  readonly run: (args: z.infer<Schema>, files: ThreadFiles, call: FileToolCall) => Promise<FileToolResult>;
}

/** What a tool returns: a text, or the blocks of a message. */
export type FileToolResult = string | ContentBlock[];

/** The caller of a tool: the messages of the agent's state, empty if the host passes no state. */
export interface FileToolCall {
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal | undefined;
  /** The scope of the run; undefined without `memory`. */
  readonly scope: string | undefined;
  /** Name of the caller's lane; undefined for an agent without one. */
  readonly lane: string | undefined;
}

/** The fields that are read of the runtime that a `ToolNode` passes to a tool. */
interface FileToolRuntime extends NodeConfig {
  readonly state?: Readonly<Record<string, unknown>> | null;
  readonly toolCallId?: string;
}

/**
 * Returns a tool over the files of the thread that calls it. It never throws at the agent; an aborted run ends it.
 *
 * @throws ContextError when an option cannot work.
 */
export function fileTool<Schema extends z.ZodObject>(
  { name, description, schema, run }: FileToolDefinition<Schema>,
  options: FileToolsOptions,
): DynamicStructuredTool {
  const {
    files,
    inputKey = "messages",
    outputKey = inputKey,
    contextWindow,
    searchTimeLimit,
    memory,
  } = options;
  if (contextWindow !== undefined) requirePositive("contextWindow", contextWindow);
  requirePositive("resultCharacters", roomOf(options).characters);
  if (searchTimeLimit !== undefined) requirePositive("searchTimeLimit", searchTimeLimit);
  async function call(args: z.infer<Schema>, runtime: FileToolRuntime): Promise<FileToolResult | Command> {
    const state = runtime.state ?? {};
    const messages = contextIn(state, { inputKey, outputKey });
    const threadId = threadIdOf(runtime, scopeOf(state, messages));
    if (threadId === undefined) return "Error: this run has no thread_id, so it has no files.";
    const entries = state["files"] as Files | null | undefined;
    const lane = readingLane(options.lane);
    const held = await heldFiles(messages, files.seal(threadId));
    const own = files.thread(threadId, entries ?? {}, { held, lane });
    const { scope, mounts } = memoryOf(memory, runtime);
    const thread = withMounts(own, mounts);
    const { signal } = runtime;
    const said = await attempt(() => run(args, thread, { messages, signal, scope, lane }), signal);
    const report = () => reporter(options, runtime, { threadId });
    const place = { name, path: args["path"], messages, files: thread, lane, report };
    const content = typeof said === "string" ? await explained(said, place) : said;
    const { changes } = thread.workspace;
    if (Object.keys(changes).length === 0) return content;
    if (entries === undefined || entries === null) return noChannel(name);
    const message = new ToolMessage({ content, name, tool_call_id: runtime.toolCallId ?? "" });
    return new Command({ update: { files: changes, [inputKey]: [message] } });
  }
  return withPathNames(tool(call as never, { name, description, schema }) as DynamicStructuredTool);
}

interface RunMemory {
  readonly scope: string | undefined;
  readonly mounts: Readonly<Record<string, Backend>>;
}

function memoryOf(memory: ToolMemory | undefined, runtime: FileToolRuntime): RunMemory {
  const scope = memory?.scopeOf(runtime);
  const backend = scope === undefined ? undefined : memory?.backend(scope);
  return { scope, mounts: backend === undefined ? {} : { [memoryMount]: backend } };
}

function withMounts(thread: ThreadFiles, mounts: RunMemory["mounts"]): ThreadFiles {
  if (Object.keys(mounts).length === 0) return thread;
  return { ...thread, backend: new CompositeBackend(thread.backend, mounts) };
}

/**
 * Lets a tool also accept `file_path` for `path`, which prompts for Deep Agents use. The schema for the model has `path`.
 */
function withPathNames(made: DynamicStructuredTool): DynamicStructuredTool {
  const invoke = made.invoke.bind(made);
  made.invoke = async (input, config) => invoke(withPath(input) as never, config) as never;
  return made;
}

function withPath(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  if ("args" in input) return { ...input, args: withPath(input.args) };
  if (!("file_path" in input) || "path" in input) return input;
  const { file_path: path, ...rest } = input;
  return { ...rest, path };
}

/** Returns the originals that genuine folds hold while the archive cannot be written, by path. */
export async function heldFiles(messages: readonly BaseMessage[], seal: ThreadSeal): Promise<HeldFiles> {
  const held = heldOriginals(messages);
  return held.size === 0 ? held : heldOriginals(await admitFolds(messages, seal));
}

async function attempt(
  run: () => Promise<FileToolResult>,
  signal: AbortSignal | undefined,
): Promise<FileToolResult> {
  try {
    return await run();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Returns the refusal without the channel: the change would vanish at the end of the step, and the agent would believe that it
 * wrote.
 */
function noChannel(name: string): string {
  return (
    `Error: ${name} changed nothing, because the graph has no channel for files. ` +
    `Its developer has to add contextState to the state, or { input: contextInput } to the node of the tools.`
  );
}
