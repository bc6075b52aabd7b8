import type { FileInfo } from "@palimpsest/vfs";
import { z } from "zod";
import { boundedLines, defaultResultCharacters } from "./bounded-lines.js";
import { fileTool, type FileToolsOptions } from "./file-tool.js";

/** Returns the `ls` tool: what a directory holds, a line each with the size in bytes. */
export function lsTool(options: FileToolsOptions) {
  const { resultCharacters = defaultResultCharacters } = options;
  return fileTool(
    {
      name: "ls",
      description:
        "Lists a directory. Your files are below /, what was archived of your context below /context/.",
      schema: z.object({ path: z.string().default("/").describe("Absolute path of a directory.") }),
      async run({ path }, { backend }) {
        const { error, files = [] } = await backend.ls(path);
        if (error !== undefined) return `Error: ${error}`;
        if (files.length === 0) return `${path} is empty.`;
        return boundedLines(files.map(fileLine), resultCharacters, "list a directory below it, or use glob");
      },
    },
    options,
  );
}

/** Returns a line for one entry of a listing. */
export function fileLine({ path, size, is_dir: isDirectory, note }: FileInfo): string {
  const bytes = isDirectory === true || size === undefined ? "" : ` (${size} bytes)`;
  return `${path}${bytes}${note === undefined ? "" : ` [${note}]`}`;
}
