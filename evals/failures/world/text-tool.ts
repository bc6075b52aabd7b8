import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { z } from "zod";

/** Returns a tool that answers `{ page }` with a text. */
export function textTool(name: string, read: (page: number) => string): DynamicStructuredTool {
  const schema = z.object({ page: z.number() });
  const definition = { name, description: `Reads a page of ${name}.`, schema };
  return tool(({ page }) => read(page), definition) as DynamicStructuredTool;
}
