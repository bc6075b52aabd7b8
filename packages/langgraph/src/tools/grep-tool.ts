import type { GrepMatch } from "@palimpsest/vfs/internal";
import { z } from "zod";
import { boundedLines, defaultResultCharacters, fileTool, type FileToolsOptions } from "./file-tool.js";

const schema = z.object({
  pattern: z.string().min(1).describe("Text to find; with regex a regular expression (RE2 syntax)."),
  path: z
    .string()
    .default("/")
    .describe("Directory or file to search. /context/ holds your archived context."),
  glob: z.string().optional().describe("Only files that match, such as *.md."),
  regex: z.boolean().default(false),
  ignore_case: z.boolean().default(false),
  context_lines: z.number().int().min(0).max(20).default(0).describe("Lines to show around each match."),
  max_matches: z.number().int().min(1).max(1_000).default(100),
});

/** Returns the `grep` tool: matching lines as `path:line: text`, long lines cut around the match. */
export function grepTool(options: FileToolsOptions) {
  const { resultCharacters = defaultResultCharacters } = options;
  return fileTool(
    {
      name: "grep",
      description: "Searches the text of files. Use it on /context/ to find again what left your context.",
      schema,
      async run({ pattern, path, glob, regex, ignore_case: ignoreCase, ...rest }, { backend }) {
        const { context_lines: lines, max_matches: most } = rest;
        const around = { regex, ignoreCase, before: lines, after: lines, maxLineLength: 400 };
        const {
          error,
          matches = [],
          truncated,
          note,
        } = await backend.grep(pattern, path, glob, most, around);
        if (error !== undefined) return `Error: ${error}`;
        const said = note === undefined ? [] : [`[${note}]`];
        if (matches.length === 0) return [`No match for ${pattern} below ${path}.`, ...said].join("\n");
        const more = truncated === true ? [`[More than ${most} matches: search more narrowly]`] : [];
        return boundedLines(
          [...said, ...matches.map(matchLine), ...more],
          resultCharacters,
          "search more narrowly",
        );
      },
    },
    options,
  );
}

function matchLine({ path, line, text, context, range }: GrepMatch): string {
  const bytes = range === undefined ? "" : ` [bytes ${range.start}-${range.end}]`;
  return context === true ? `${path}-${line}- ${text}` : `${path}:${line}:${bytes} ${text}`;
}
