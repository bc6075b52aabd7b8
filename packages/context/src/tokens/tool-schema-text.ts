import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isInteropZodSchema } from "@langchain/core/utils/types";

interface ToolFields {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly schema?: unknown;
}

/** The text of each tool, and the fields that it was made of: a conversion takes longer than the rest of a quiet step. */
const texts = new WeakMap<object, ToolFields & { readonly text: string }>();

/**
 * Returns the text that a provider receives for a tool: its name, description and JSON schema. The same string for a tool whose
 * fields are the same objects as before. Never throws.
 */
export function toolSchemaText(tool: unknown): string {
  if (typeof tool !== "object" || tool === null) return String(tool);
  const { name, description, schema } = tool as ToolFields;
  if (typeof name !== "string") return JSON.stringify(tool);
  const known = texts.get(tool);
  if (known?.name === name && known.description === description && known.schema === schema) return known.text;
  const text = JSON.stringify({ name, description, parameters: jsonSchema(schema) });
  texts.set(tool, { name, description, schema, text });
  return text;
}

function jsonSchema(schema: unknown): unknown {
  if (!isInteropZodSchema(schema)) return schema;
  try {
    return toJsonSchema(schema);
  } catch {
    return {}; // Counting does not validate: the model call reports a schema that has no JSON form.
  }
}
