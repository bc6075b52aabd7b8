import { type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";

/** A tool as it travels to a provider. */
export interface WireTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: object;
  };
}

const known = new WeakMap<object, WireTool>();

/** Returns the tool in the provider's form. Kept per tool object: turning a schema into JSON costs milliseconds. */
export function toWireTool(tool: BindToolsInput): WireTool {
  const wire = known.get(tool) ?? convertToOpenAITool(tool);
  known.set(tool, wire);
  return wire;
}
