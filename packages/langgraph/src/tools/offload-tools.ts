import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";
import { offloadArrivals } from "@palimpsest/context/internal";
import type { ContextOptions } from "../options/context-options.js";
import { listOf, scopeOf } from "../run/node-state.js";
import { runStep } from "../run/run-step.js";
import { resolveOptions, type ResolvedOptions } from "../options/resolve-options.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { withUpdate } from "../with-update.js";
import { requireOptions } from "../options/require-options.js";

/** Any tool that a `ToolNode` can run. */
export interface InvokableTool {
  readonly name: string;
  invoke(input: never, config?: never): Promise<unknown>;
}

type ToolConfig = NodeConfig & { readonly state?: object | null };

/**
 * Returns tools that offload large results themselves: a huge result never enters the state, so no checkpoint contains it.
 *
 * Name, description, schema and class of each tool stay the same. A result that cannot be archived stays whole, and so does
 * every result with `keepThread`.
 * @throws ContextError when an option cannot work.
 */
export function offloadTools<Tool extends InvokableTool>(
  tools: readonly Tool[],
  options: ContextOptions,
): Tool[] {
  requireOptions(options, "offloadTools");
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
  // The thread has results as they are; the step before the model call offloads them in the context.
  if (options.keepThread) return output;
  if (ToolMessage.isInstance(output)) return (await offloadResults([output], config, options))[0] as Output;
  if (!isCommand(output)) return output;
  const { update } = output;
  if (typeof update !== "object" || update === null || Array.isArray(update)) return output;
  const messages: unknown = update[options.inputKey];
  if (!Array.isArray(messages)) return output;
  const offloaded = await offloadResults(messages as BaseMessage[], config, options);
  return withUpdate(output, { ...update, [options.inputKey]: offloaded }) as Output;
}

/** Returns the messages of a tool's output with large results offloaded, by the rule of the nodes: {@link offloadArrivals}. */
async function offloadResults(
  output: readonly BaseMessage[],
  config: ToolConfig | undefined,
  options: ResolvedOptions,
): Promise<readonly BaseMessage[]> {
  const thread = threadOf(config?.state, options);
  const scope = scopeOf(config?.state ?? {}, thread);
  if (!output.some((message) => ToolMessage.isInstance(message))) return output;
  // Without a name the thread could not find what it has archived.
  if (threadIdOf(config, scope) === undefined) return output;
  const { messages } = await runStep({ messages: output, config, scope }, options, async (step) => {
    // The call of a result may be pinned.
    const all = [...thread, ...step.messages];
    const rewrite = offloadArrivals(all, { ...step.options, start: thread.length });
    if (rewrite.folds.length > 0)
      await step.apply({ ...rewrite, messages: rewrite.messages.slice(thread.length) }, "arrival");
    return undefined;
  });
  return messages;
}

function threadOf(state: unknown, { inputKey }: ResolvedOptions): readonly BaseMessage[] {
  return listOf((state as Record<string, unknown> | null | undefined)?.[inputKey]);
}
