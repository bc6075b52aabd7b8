import type { DynamicStructuredTool } from "@langchain/core/tools";
import type { FileInfo } from "@palimpsest/vfs/internal";
import { z } from "zod";
import { fileTool, type FileToolsOptions } from "./file-tool.js";
import { boundedLines, roomOf } from "./result-room.js";
import { grepTool } from "./grep-tool.js";
import { readFileTool } from "./read-file-tool.js";
import { requireOptions } from "../options/require-options.js";

/**
 * Returns the tools with which the agent works with its files and reads the archive: `ls`, `read_file`, `write_file`,
 * `edit_file`, `delete_file`, `glob`, `grep`.
 *
 * The archive below `/context/` can be read and searched, but not written. Results have a maximum size and say how to go on.
 * @throws ContextError when an option cannot work.
 */
export function fileTools(options: FileToolsOptions): DynamicStructuredTool[] {
  requireOptions(options, "fileTools");
  return [
    lsTool(options),
    readFileTool(options),
    writeFileTool(options),
    editFileTool(options),
    deleteFileTool(options),
    globTool(options),
    grepTool(options),
  ];
}

/** Returns the `edit_file` tool: replaces an exact piece of text. */
function editFileTool(options: FileToolsOptions) {
  return fileTool(
    {
      name: "edit_file",
      description:
        "Replaces a piece of text in a file. The piece must occur exactly once, unless replace_all is set.",
      schema: z.object({
        path: z.string().describe("Absolute path of the file."),
        old_string: z.string().describe("Text to replace, exactly as it stands in the file."),
        new_string: z.string().describe("Text to put there."),
        replace_all: z.boolean().optional().describe("Replace every occurrence."),
      }),
      async run({ path, old_string: before, new_string: after, replace_all: all = false }, { backend }) {
        const { error, occurrences = 1 } = await backend.edit(path, before, after, all);
        return error === undefined ? `Replaced ${occurrences} in ${path}.` : `Error: ${error}`;
      },
    },
    options,
  );
}

/** Returns the `write_file` tool: creates a file, or replaces its content. */
function writeFileTool(options: FileToolsOptions) {
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

/** Returns the `delete_file` tool: deletes a file, or a directory with all that is in it. */
function deleteFileTool(options: FileToolsOptions) {
  return fileTool(
    {
      name: "delete_file",
      description: "Deletes a file, or a directory and all files below it.",
      schema: z.object({ path: z.string().describe("Absolute path, outside /context/.") }),
      async run({ path }, { backend }) {
        const { error } = await backend.delete(path);
        return error === undefined ? `Deleted ${path}.` : `Error: ${error}`;
      },
    },
    options,
  );
}

/** Returns the `ls` tool: lists a directory, one line for each entry with its size in bytes. */
function lsTool(options: FileToolsOptions) {
  const room = roomOf(options);
  return fileTool(
    {
      name: "ls",
      description:
        "Lists a directory. Your files are below /, what was archived of your context below /context/.",
      schema: z.object({
        path: z.string().optional().describe("Absolute path of a directory; / if absent."),
      }),
      async run({ path = "/" }, { backend }) {
        const { error, files = [] } = await backend.ls(path);
        if (error !== undefined) return `Error: ${error}`;
        if (files.length === 0) return `${path} is empty.`;
        return boundedLines(files.map(fileLine), room, "list a directory below it, or use glob");
      },
    },
    options,
  );
}

/** Returns a line for one entry of a listing. */
function fileLine({ path, size, is_dir: isDirectory, note }: FileInfo): string {
  const bytes = isDirectory === true || size === undefined ? "" : ` (${size} bytes)`;
  return `${path}${bytes}${note === undefined ? "" : ` [${note}]`}`;
}

/** Returns the `glob` tool: the files whose path matches a pattern. */
function globTool(options: FileToolsOptions) {
  const room = roomOf(options);
  const { searchTimeLimit: timeLimit } = options;
  return fileTool(
    {
      name: "glob",
      description: "Finds files by a pattern such as **/*.md.",
      schema: z.object({
        pattern: z.string().describe("Glob pattern."),
        path: z.string().optional().describe("Directory to search below; / if absent."),
      }),
      async run({ pattern, path = "/" }, { backend }, { signal }) {
        const { error, files = [], note } = await backend.glob(pattern, path, { signal, timeLimit });
        if (error !== undefined) return `Error: ${error}`;
        const said = note === undefined ? [] : [`[${note}]`];
        if (files.length === 0) return [`No file below ${path} matches ${pattern}.`, ...said].join("\n");
        return boundedLines([...said, ...files.map(fileLine)], room, "use a narrower pattern");
      },
    },
    options,
  );
}
