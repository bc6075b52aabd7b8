import type { BaseMessage } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { toolCalls } from "@palimpsest/context";
import {
  archiveFolders,
  clipText,
  isAi,
  once,
  requirePositive,
  stepFiles,
  stepOf,
} from "@palimpsest/context/internal";
import { paceDefaults } from "@palimpsest/context/selection";
import type { Archive, VirtualFilesystem } from "@palimpsest/vfs";
import { z } from "zod";
import { listOf, scopeOf } from "../run/node-state.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { heldFiles } from "../tools/file-tool.js";
import { defaultResultCharacters } from "../tools/result-room.js";
import { requireOptions } from "../options/require-options.js";

export interface GlimpseToolOptions {
  /** The filesystem of `predictiveContextNode`. */
  readonly files: VirtualFilesystem;
  /** Calls in one step of the agent. @default 3 (PACE) */
  readonly glimpses?: number;
  /** Characters of one result. @default 20,000 */
  readonly resultCharacters?: number;
  /** State key with the context. @default "messages" */
  readonly inputKey?: string;
}

const toolName = "glimpse";
const schema = once(() =>
  z.object({
    step: z.string().trim().min(1).describe("Number or name of a step, such as 57 or 57-3fa9c1."),
  }),
);

interface GlimpseRuntime extends NodeConfig {
  readonly state?: unknown;
  readonly toolCallId?: string;
}

/**
 * Returns the `glimpse` tool, which shows a past step as it was.
 *
 * Its result counts toward the budget of the next step, like any other. Never throws at the agent.
 * @throws ContextError when an option cannot work.
 */
export function glimpseTool(options: GlimpseToolOptions): DynamicStructuredTool {
  requireOptions(options, "glimpseTool");
  const {
    files,
    glimpses = paceDefaults.glimpses,
    resultCharacters = defaultResultCharacters,
    inputKey = "messages",
  } = options;
  requirePositive("glimpses", glimpses);
  requirePositive("resultCharacters", resultCharacters);
  async function glimpse(
    { step }: z.infer<ReturnType<typeof schema>>,
    runtime: GlimpseRuntime,
  ): Promise<string> {
    const value = (runtime.state as Readonly<Record<string, unknown>> | null | undefined)?.[inputKey];
    const messages = listOf(value);
    if (callIndex(messages, runtime.toolCallId) >= glimpses) {
      return `Error: ${glimpses} glimpses are the limit of one step. Use what they show first.`;
    }
    const threadId = threadIdOf(runtime, scopeOf(runtime.state ?? {}, messages));
    if (threadId === undefined) return "Error: this run has no thread_id, so nothing was archived for it.";
    try {
      const held = await heldFiles(messages, files.seal(threadId));
      return await show(step, files.archive(threadId, held), resultCharacters);
    } catch (error) {
      return `Error: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return tool(glimpse as never, {
    name: toolName,
    description: `Shows a past step of this conversation as it was. At most ${glimpses} in one step.`,
    schema: schema(),
  }) as DynamicStructuredTool;
}

/** Returns how many glimpses of the newest AI message come before this one. */
function callIndex(messages: readonly BaseMessage[], callId: string | undefined): number {
  const newest = messages.findLast((message) => isAi(message));
  const calls = newest === undefined ? [] : toolCalls(newest).filter(({ name }) => name === toolName);
  return calls.findIndex(({ id }) => id !== undefined && id === callId);
}

async function show(step: string, archive: Archive, maxCharacters: number): Promise<string> {
  const path = await findStep(step, archive);
  if (path === undefined)
    return `Error: no step ${step} is in the archive. Recent steps are in your context as they were.`;
  const text = await archive.readText(path);
  const rest =
    text.length > maxCharacters
      ? `\n[${text.length - maxCharacters} more characters: read_file ${path}]`
      : "";
  return `[${path}]\n${clipText(text, maxCharacters)}${rest}`;
}

async function findStep(step: string, archive: Archive): Promise<string | undefined> {
  const name = step.replace(/^.*\//, "").replace(/(\.md)?(:\d+)?$/, "");
  const named = stepFiles(name).path;
  if (/^\d+-[0-9a-f]{6}$/.test(name) && (await archive.has(named))) return named;
  const wanted = Number.parseInt(name, 10);
  for await (const { path } of archive.list(archiveFolders.steps)) if (stepOf(path) === wanted) return path;
  return undefined;
}
