import type { BaseMessage } from "@langchain/core/messages";
import { contentBlocks, digest, toolSchemaText, withoutBreakpoint } from "@palimpsest/context/internal";

/** The parts of a prompt before its messages. */
export interface PromptFrame {
  readonly systemMessage: BaseMessage;
  readonly tools: readonly unknown[];
}

/** Converting a schema takes longer than the rest of a quiet step. */
const schemas = new WeakMap<object, { readonly digest: string; readonly parameters: unknown }>();

/** Returns a digest of what a provider receives before the messages, without cache breakpoints. Pure. */
export function frameDigest({ systemMessage, tools }: PromptFrame): string {
  const system = contentBlocks(systemMessage).map(withoutBreakpoint);
  return digest(JSON.stringify([system, tools.map(toolForm)]));
}

function toolForm(tool: unknown): unknown {
  const known = knownTool(tool);
  return known === undefined ? tool : [known.name, known.description, known.digest];
}

/** What is sent before the messages, as text and tools. */
interface PromptParts {
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
}

/**
 * Returns what is sent before the messages as JSON with the fields `systemPrompt` and `tools`, each tool as a provider receives
 * it; empty if nothing is sent. Pure.
 */
export function promptText({ systemPrompt = "", tools = [] }: PromptParts): string {
  if (systemPrompt === "" && tools.length === 0) return "";
  return JSON.stringify({ systemPrompt, tools: tools.map(shownTool) }, undefined, 1);
}

function shownTool(tool: unknown): unknown {
  const { name, description, parameters } = knownTool(tool) ?? {};
  return parameters === undefined ? tool : { name, description, parameters };
}

/** Returns a tool with the form of its schema; undefined for one without a schema, such as a tool of the provider. */
function knownTool(tool: unknown) {
  if (typeof tool !== "object" || tool === null) return undefined;
  const { name, description, schema } = tool as { name?: unknown; description?: unknown; schema?: unknown };
  if (typeof schema !== "object" || schema === null) return undefined;
  const known = schemas.get(schema) ?? schemaOf(schema);
  schemas.set(schema, known);
  return { name, description, ...known };
}

function schemaOf(schema: object) {
  const text = toolSchemaText({ name: "", schema });
  const { parameters } = JSON.parse(text) as { readonly parameters?: unknown };
  return { digest: digest(text), parameters };
}
