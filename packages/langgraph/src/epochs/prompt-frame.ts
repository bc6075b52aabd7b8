import type { BaseMessage } from "@langchain/core/messages";
import type { ArchiveWrite, Lane } from "@palimpsest/context";
import {
  contentBlocks,
  digest,
  promptPath,
  toolSchemaText,
  withoutBreakpoint,
} from "@palimpsest/context/internal";

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

/** The newest file with each first tool, and what it was made of: few steps change the system prompt or a tool. */
const files = new WeakMap<object, { readonly source: readonly unknown[]; readonly file: ArchiveWrite }>();

/**
 * Returns the file of what is sent before the messages: JSON with the fields `systemPrompt` and `tools`, each tool as a provider
 * receives it; undefined if nothing is sent. Pure.
 */
export function promptFile(
  { systemPrompt = "", tools = [] }: PromptParts,
  lane: Lane | undefined,
): ArchiveWrite | undefined {
  if (systemPrompt === "" && tools.length === 0) return undefined;
  const source = [lane, systemPrompt, ...tools.flatMap(fieldsOf)];
  const key = tools.find((tool): tool is object => typeof tool === "object" && tool !== null);
  const known = key && files.get(key);
  if (known !== undefined && isSameList(known.source, source)) return known.file;
  const content = JSON.stringify({ systemPrompt, tools: tools.map(shownTool) }, undefined, 1);
  const file = { path: promptPath(content, lane), content };
  if (key !== undefined) files.set(key, { source, file });
  return file;
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Returns what the text of a tool is made of: the host may change a field in place. */
function fieldsOf(tool: unknown): readonly unknown[] {
  const { name, description, schema } = (tool ?? {}) as ToolFields;
  return typeof schema === "object" && schema !== null
    ? [tool, name, description, schema]
    : [JSON.stringify(tool)];
}

interface ToolFields {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly schema?: unknown;
}

function shownTool(tool: unknown): unknown {
  const { name, description, parameters } = knownTool(tool) ?? {};
  return parameters === undefined ? tool : { name, description, parameters };
}

/** Returns a tool with the form of its schema; undefined for one without a schema, such as a tool of the provider. */
function knownTool(tool: unknown) {
  if (typeof tool !== "object" || tool === null) return undefined;
  const { name, description, schema } = tool as ToolFields;
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
