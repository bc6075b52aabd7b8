import { z } from "zod";
import { fileTool, type FileToolsOptions } from "./file-tool.js";

/** Returns the `edit_file` tool: replaces an exact piece of text. */
export function editFileTool(options: FileToolsOptions) {
  return fileTool(
    {
      name: "edit_file",
      description:
        "Replaces a piece of text in a file. The piece must occur exactly once, unless replace_all is set.",
      schema: z.object({
        path: z.string().describe("Absolute path of the file."),
        old_string: z.string().describe("Text to replace, exactly as it stands in the file."),
        new_string: z.string().describe("Text to put there."),
        replace_all: z.boolean().default(false).describe("Replace every occurrence."),
      }),
      async run({ path, old_string: before, new_string: after, replace_all: all }, { backend }) {
        const { error, occurrences = 1 } = await backend.edit(path, before, after, all);
        return error === undefined ? `Replaced ${occurrences} in ${path}.` : `Error: ${error}`;
      },
    },
    options,
  );
}
