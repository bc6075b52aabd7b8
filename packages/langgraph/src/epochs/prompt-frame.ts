import type { BaseMessage } from "@langchain/core/messages";
import { contentBlocks, digest, toolSchemaText, withoutBreakpoint } from "@palimpsest/context/internal";

/** The parts of a prompt before its messages. */
export interface PromptFrame {
  readonly systemMessage: BaseMessage;
  readonly tools: readonly unknown[];
}

/** Cache of the digests of tool schemas. */
const schemaDigests = new WeakMap<object, string>();

/** Returns a digest of what a provider receives before the messages, without cache breakpoints. Pure. */
export function frameDigest({ systemMessage, tools }: PromptFrame): string {
  const system = contentBlocks(systemMessage).map(withoutBreakpoint);
  return digest(JSON.stringify([system, tools.map(toolForm)]));
}

function toolForm(tool: unknown): unknown {
  if (typeof tool !== "object" || tool === null) return tool;
  const { name, description, schema } = tool as { name?: unknown; description?: unknown; schema?: unknown };
  if (typeof schema !== "object" || schema === null) return tool;
  const known = schemaDigests.get(schema) ?? digest(toolSchemaText({ name: "", schema }));
  schemaDigests.set(schema, known);
  return [name, description, known];
}
