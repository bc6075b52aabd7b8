import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";

/** Returns file tools over a map of paths to texts: what an agent without Palimpsest would have. Whole files, whole results. */
export function plainFileTools(files: Map<string, string>): StructuredToolInterface[] {
  const path = z.string();
  return [
    tool(
      ({ path: below }) =>
        [...files.keys()].filter((each) => each.startsWith(below)).join("\n") || "No files",
      {
        name: "ls",
        description: "Lists the files below a path.",
        schema: z.object({ path }),
      },
    ),
    tool(({ path: file }) => files.get(file) ?? `There is no file ${file}.`, {
      name: "read_file",
      description: "Reads a file.",
      schema: z.object({ path }),
    }),
    tool(({ path: file, content }) => (files.set(file, content), `Wrote ${file}.`), {
      name: "write_file",
      description: "Writes a file.",
      schema: z.object({ path, content: z.string() }),
    }),
    tool(
      ({ path: file, old_string, new_string }) => {
        const text = files.get(file);
        if (text === undefined || !text.includes(old_string)) return `${file} has no such text.`;
        files.set(
          file,
          text.replace(old_string, () => new_string),
        );
        return `Edited ${file}.`;
      },
      {
        name: "edit_file",
        description: "Replaces a text in a file.",
        schema: z.object({ path, old_string: z.string(), new_string: z.string() }),
      },
    ),
    tool(({ pattern, path: below }) => grep(files, new RegExp(pattern), below ?? "/"), {
      name: "grep",
      description: "Finds the lines that match a regular expression, as path:line: text.",
      schema: z.object({ pattern: z.string(), path: path.optional(), regex: z.boolean().optional() }),
    }),
  ];
}

function grep(files: ReadonlyMap<string, string>, pattern: RegExp, below: string): string {
  const found = [...files].flatMap(([path, text]) =>
    path.startsWith(below)
      ? text
          .split("\n")
          .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line}`] : []))
      : [],
  );
  return found.join("\n") || "No match";
}
