import { z } from "zod";
import { boundedLines, defaultResultCharacters } from "./bounded-lines.js";
import { fileTool, type FileToolsOptions } from "./file-tool.js";
import { fileLine } from "./ls-tool.js";

/** Returns the `glob` tool: the files whose path matches a pattern. */
export function globTool(options: FileToolsOptions) {
  const { resultCharacters = defaultResultCharacters } = options;
  return fileTool(
    {
      name: "glob",
      description: "Finds files by a pattern such as **/*.md.",
      schema: z.object({
        pattern: z.string().describe("Glob pattern."),
        path: z.string().default("/").describe("Directory to search below."),
      }),
      async run({ pattern, path }, { backend }) {
        const { error, files = [] } = await backend.glob(pattern, path);
        if (error !== undefined) return `Error: ${error}`;
        if (files.length === 0) return `No file below ${path} matches ${pattern}.`;
        return boundedLines(files.map(fileLine), resultCharacters, "use a narrower pattern");
      },
    },
    options,
  );
}
