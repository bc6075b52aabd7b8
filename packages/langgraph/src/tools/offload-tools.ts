import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Command, isCommand } from "@langchain/langgraph";
import { offloadContent } from "@palimpsest/context/internal";
import { commitRewrite, reportCounter } from "../run/commit.js";
import type { ContextOptions } from "../options/context-options.js";
import { scopeOf } from "../run/node-state.js";
import { reporter } from "../run/reporter.js";
import { resolveOptions, type ResolvedOptions } from "../options/resolve-options.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";
import { countAhead } from "../options/counted-ahead.js";

/** Any tool that a `ToolNode` can run. */
export interface InvokableTool {
  readonly name: string;
  invoke(input: never, config?: never): Promise<unknown>;
}

type ToolConfig = NodeConfig & { readonly state?: object | null };

/**
 * Returns tools that offload large results themselves: a huge result never enters the state, so no checkpoint contains it.
 *
 * Name, description, schema and class of each tool stay the same. A result that cannot be archived stays whole.
 * @throws ContextError when an option cannot work.
 */
export function offloadTools<Tool extends InvokableTool>(
  tools: readonly Tool[],
  options: ContextOptions,
): Tool[] {
  parseOptions(options, surface("offloadTools", "node", "tools, "));
  const resolved = resolveOptions(options);
  return tools.map((tool) => {
    // Inherit from the tool, so that only `invoke` changes and `instanceof` still works.
    const wrapped = Object.create(tool) as Tool;
    const invoke = async (input: never, config?: never) =>
      offloadOutput(await tool.invoke(input, config), config, resolved);
    return Object.defineProperty(wrapped, "invoke", { value: invoke });
  });
}

/** Returns a tool's output with its large results offloaded; any value other than a message or command is returned as it is. */
export async function offloadOutput<Output>(
  output: Output,
  config: ToolConfig | undefined,
  options: ResolvedOptions,
): Promise<Output> {
  if (ToolMessage.isInstance(output)) return (await offloadMessage(output, config, options)) as Output;
  if (!isCommand(output)) return output;
  const { update } = output;
  if (typeof update !== "object" || update === null || Array.isArray(update)) return output;
  const messages: unknown = update[options.inputKey];
  if (!Array.isArray(messages)) return output;
  const offloaded = await Promise.all(
    messages.map(async (message: BaseMessage) =>
      ToolMessage.isInstance(message) ? offloadMessage(message, config, options) : message,
    ),
  );
  return withUpdate(output, { ...update, [options.inputKey]: offloaded }) as Output;
}

/**
 * Returns a tool's output without what another agent's compaction remembers. A tool that runs a subagent, such as `task` of
 * deepagents, returns the whole state of that agent, whose window and sizes say nothing of the agent that called it.
 */
export function withoutCompaction<Output>(output: Output): Output {
  if (!isCommand(output)) return output;
  const { update } = output;
  if (typeof update !== "object" || update === null) return output;
  if (Array.isArray(update)) {
    const others = update.filter(([channel]) => channel !== "compaction");
    return withUpdate(output, others) as Output;
  }
  if (!("compaction" in update)) return output;
  const { compaction: _, ...others } = update;
  return withUpdate(output, others) as Output;
}

function withUpdate({ goto, graph, resume }: Command, update: NonNullable<Command["update"]>): Command {
  return new Command({ update, ...defined({ goto, graph, resume }) });
}

async function offloadMessage(
  message: ToolMessage,
  config: ToolConfig | undefined,
  options: ResolvedOptions,
): Promise<BaseMessage> {
  const threadId = threadIdOf(config, scopeOf(config?.state ?? {}, threadOf(config?.state, options)));
  if (threadId === undefined) return message;
  const report = reporter(options, config, threadId);
  const policy = { signal: config?.signal, onError: options.onError, reason: "arrival" as const };
  reportCounter(await countAhead(options.tokenCounter, [message]), { ...policy, report });
  if (options.tokenCounter([message]) <= options.offloadTokens) return message;
  const folded = offloadContent(message, options);
  if (folded === undefined) return message;
  const archive = options.files.archive(threadId);
  const seal = options.files.seal(threadId);
  const rewrite = { ...folded, messages: [folded.message], folds: [folded.fold] };
  const committed = await commitRewrite(rewrite, { archive, report, seal, ...policy });
  return committed?.messages[0] ?? message;
}

function threadOf(state: unknown, { inputKey }: ResolvedOptions): readonly BaseMessage[] {
  const messages: unknown = (state as Record<string, unknown> | null | undefined)?.[inputKey];
  return Array.isArray(messages) ? (messages as BaseMessage[]) : [];
}

function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]: NonNullable<Fields[Key]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as { [Key in keyof Fields]: NonNullable<Fields[Key]> };
}
