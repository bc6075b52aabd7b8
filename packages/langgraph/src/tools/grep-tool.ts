import { once } from "@palimpsest/context/internal";
import { z } from "zod";
import { inConversation, mayHoldCopies } from "./conversation-order.js";
import { fileTool, resultCharactersOf, type FileToolsOptions } from "./file-tool.js";
import { hitsOf } from "./grep-hits.js";
import { grepPage } from "./grep-page.js";

const schema = once(() =>
  z.object({
    pattern: z.string().min(1).describe("Text to find; with regex a regular expression (RE2 syntax)."),
    path: z
      .string()
      .default("/")
      .describe("Directory or file to search. /context/ holds your archived context."),
    glob: z.string().optional().describe("Only files that match, such as *.md."),
    regex: z.boolean().default(false),
    ignore_case: z.boolean().default(false),
    context_lines: z.number().int().min(0).max(20).default(0).describe("Lines to show around each match."),
    max_matches: z.number().int().min(1).max(1_000).default(100).describe("Matches on a page."),
    page: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(1)
      .describe("Page of the matches; a result says when there is another."),
  }),
);

const description =
  "Searches the text of files. Use it on /context/ to find again what left your context: its matches stand in the order of " +
  "the conversation, the newest last, without later copies. A result that is too long shows some matches of each file, how " +
  "many there are, and how to go on with page.";

/** Characters of a line that are shown around its match. */
const lineCharacters = 400;
/** Matches that a search holds in memory to show its last page. */
const mostMatches = 20_000;

/**
 * Returns the `grep` tool: matching lines as `path:line: text`, long lines cut around the match.
 *
 * A result that does not fit is a page: the first match of every file comes before the second of any, so a file with one
 * match is never hidden by files with thousands. Matches in the archive stand in the order of the conversation.
 */
export function grepTool(options: FileToolsOptions) {
  const resultCharacters = resultCharactersOf(options);
  const { searchTimeLimit: timeLimit } = options;
  return fileTool(
    {
      name: "grep",
      description,
      schema: schema(),
      async run({ pattern, path, glob, regex, ignore_case: ignoreCase, ...rest }, { backend }, call) {
        const { context_lines: around, max_matches: maxMatches, page } = rest;
        if (page * maxMatches > mostMatches) return tooFar(page);
        const how = { regex, ignoreCase, before: around, after: around, maxLineLength: lineCharacters };
        const options = { ...how, spread: true, signal: call.signal, timeLimit };
        const search = async (most: number) => backend.grep(pattern, path, glob, most, options);
        const first = await search(page * maxMatches);
        // Which matches are copies is known when all are: then pages join without a gap.
        const isCut = first.truncated === true && first.note === undefined;
        const hasCopies = isCut && first.counts?.some((file) => mayHoldCopies(file.path)) === true;
        const result = hasCopies ? await search(mostMatches) : first;
        if (result.error !== undefined) return `Error: ${result.error}`;
        const said = result.note === undefined ? [] : [`[${result.note}]`];
        const files = await inConversation(hitsOf(result, around), { backend, ...call });
        const none = result.truncated === true ? "No match so far" : "No match";
        if (files.length === 0) return [`${none} for ${pattern} below ${path}.`, ...said].join("\n");
        const characters = resultCharacters - said.join("\n").length;
        return [...said, ...grepPage(files, { page, maxMatches, characters })].join("\n");
      },
    },
    options,
  );
}

function tooFar(page: number): string {
  return `Error: page ${page} is behind the first ${mostMatches} matches. Narrow the pattern, the path or the glob.`;
}
