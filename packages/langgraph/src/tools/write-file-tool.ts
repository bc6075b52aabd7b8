import { z } from "zod";
import { fileTool, type FileToolsOptions } from "./file-tool.js";

/** Returns the `write_file` tool: creates a file, or replaces what it held. */
export function writeFileTool(options: FileToolsOptions) {
  return fileTool(
    {
      name: "write_file",
      description: "Writes a file, replacing what it held.",
      schema: z.object({
        path: z.string().describe("Absolute path of the file, outside /context/."),
        content: z.string().describe("The whole new content."),
      }),
      async run({ path, content }, { backend }) {
        const { error } = await backend.write(path, content);
        return error === undefined ? `Wrote ${content.length} characters to ${path}.` : `Error: ${error}`;
      },
    },
    options,
  );
}
