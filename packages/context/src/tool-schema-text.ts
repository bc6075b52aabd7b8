import { isInteropZodSchema } from "@langchain/core/utils/types";
import { toJsonSchema } from "@langchain/core/utils/json_schema";

/** Returns the text that a provider is sent for a tool: its name, description and JSON schema. Never throws. */
export function toolSchemaText(tool: unknown): string {
  if (typeof tool !== "object" || tool === null) return String(tool);
  const { name, description, schema } = tool as { name?: unknown; description?: unknown; schema?: unknown };
  if (typeof name !== "string") return JSON.stringify(tool);
  return JSON.stringify({ name, description, parameters: jsonSchema(schema) });
}

function jsonSchema(schema: unknown): unknown {
  if (!isInteropZodSchema(schema)) return schema;
  try {
    return toJsonSchema(schema);
  } catch {
    return {}; // A schema that has no JSON form is refused when the model is called, not when it is counted.
  }
}
