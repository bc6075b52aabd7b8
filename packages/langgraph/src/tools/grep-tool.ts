import { once } from "@palimpsest/context/internal";
import { z } from "zod";
import { inConversation, mayHoldCopies } from "./conversation-order.js";
import { fileTool, type FileToolsOptions } from "./file-tool.js";
import { roomOf } from "./result-room.js";
import { hitsOf } from "./grep-hits.js";
import { grepPage } from "./grep-page.js";

const schema = once(() =>
  z.object({
    pattern: z.string().min(1).describe("Text to find; with regex a regular expression (RE2 syntax)."),
    path: z.string().optional().describe("Directory or file to search; / if absent."),
    glob: z.string().optional().describe("Only files that match, such as *.md."),
    regex: z.boolean().optional(),
    ignore_case: z.boolean().optional(),
    context_lines: z.number().int().min(0).max(20).optional().describe("Lines to show around each match."),
    max_matches: z.number().int().min(1).max(1_000).optional().describe("Matches on a page; 100 if absent."),
    page: z.number().int().min(1).max(1_000).optional().describe("A result says when there is another."),
  }),
);

const description =
  "Searches the text of files. Below /context/ it finds again what left your context, in the order of the conversation, " +
  "the newest last, without later copies. A result that is too long shows some matches of each file, and how to go on.";

/** Characters of a line that are shown around its match. */
const lineCharacters = 400;
/** Maximum matches that a search keeps in memory to show its last page. */
const mostMatches = 20_000;

/**
 * Returns the `grep` tool: matching lines as `path:line: text`, with long lines cut around the match.
 *
 * A result that does not fit has pages: the first match of every file comes before the second of any file, so that thousands of
 * matches in one file do not hide the only match in another. Matches in the archive are in the order of the conversation.
 */
export function grepTool(options: FileToolsOptions) {
  const room = roomOf(options);
  const { searchTimeLimit: timeLimit } = options;
  return fileTool(
    {
      name: "grep",
      description,
      schema: schema(),
      async run({ pattern, path = "/", glob, ...rest }, { backend }, call) {
        const { regex = false, ignore_case: ignoreCase = false, context_lines: around = 0 } = rest;
        const { max_matches: maxMatches = 100, page = 1 } = rest;
        if (page * maxMatches > mostMatches) return tooFar(page);
        const how = { regex, ignoreCase, before: around, after: around, maxLineLength: lineCharacters };
        const options = { ...how, spread: true, signal: call.signal, timeLimit };
        const search = async (most: number) => backend.grep(pattern, path, glob, most, options);
        const first = await search(page * maxMatches);
        // Copies are known only once all matches are known: only then is there no gap between pages.
        const isCut = first.truncated === true && first.note === undefined;
        const hasCopies = isCut && first.counts?.some((file) => mayHoldCopies(file.path)) === true;
        const result = hasCopies ? await search(mostMatches) : first;
        if (result.error !== undefined) return `Error: ${result.error}`;
        const said = result.note === undefined ? [] : [`[${result.note}]`];
        const files = await inConversation(hitsOf(result, around), { backend, ...call });
        const none = result.truncated === true ? "No match so far" : "No match";
        if (files.length === 0) return [`${none} for ${pattern} below ${path}.`, ...said].join("\n");
        const characters = room.characters - said.join("\n").length;
        return [...said, ...grepPage(files, { page, maxMatches, characters, sizeOf: room.sizeOf })].join(
          "\n",
        );
      },
    },
    options,
  );
}

function tooFar(page: number): string {
  return `Error: page ${page} is behind the first ${mostMatches} matches. Narrow the pattern, the path or the glob.`;
}
