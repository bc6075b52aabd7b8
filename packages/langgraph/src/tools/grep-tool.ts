import type { GrepMatch, GrepResult } from "@palimpsest/vfs/internal";
import { z } from "zod";
import { defaultResultCharacters, fileTool, type FileToolsOptions } from "./file-tool.js";

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
  max_matches: z.number().int().min(1).max(1_000).default(100).describe("Matches on a page."),
  page: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(1)
    .describe("Page of the matches; a result says when there is another."),
});

const description =
  "Searches the text of files. Use it on /context/ to find again what left your context. Matches come in turns from all " +
  "files, files with few matches first: a result that is too long shows some of each file, how many there are, and how " +
  "to go on with page.";

/** Characters of a line that are shown around its match. */
const lineCharacters = 400;
/** Matches that a search holds in memory to show its last page. */
const mostMatches = 20_000;
/** Characters of the words around a page that say what there is and how to go on, beside the list of files. */
const frameCharacters = 170;
/** Share of a result that the list of files and their counts may take. */
const countsShare = 0.1;

/**
 * Returns the `grep` tool: matching lines as `path:line: text`, long lines cut around the match.
 *
 * A result that does not fit is a page: the first match of every file comes before the second of any, so a file with one
 * match is never hidden by files with thousands.
 */
export function grepTool(options: FileToolsOptions) {
  const { resultCharacters = defaultResultCharacters, searchTimeLimit: timeLimit } = options;
  return fileTool(
    {
      name: "grep",
      description,
      schema,
      async run({ pattern, path, glob, regex, ignore_case: ignoreCase, ...rest }, { backend }, signal) {
        const { context_lines: around, max_matches: maxMatches, page } = rest;
        if (page * maxMatches > mostMatches) return tooFar(page);
        const how = { regex, ignoreCase, before: around, after: around, maxLineLength: lineCharacters };
        const options = { ...how, spread: true, signal, timeLimit };
        const result = await backend.grep(pattern, path, glob, page * maxMatches, options);
        if (result.error !== undefined) return `Error: ${result.error}`;
        const said = result.note === undefined ? [] : [`[${result.note}]`];
        const files = filesOf(result, around);
        const none = result.truncated === true ? "No match so far" : "No match";
        if (files.length === 0) return [`${none} for ${pattern} below ${path}.`, ...said].join("\n");
        const characters = resultCharacters - said.join("\n").length;
        return [...said, ...pageLines(files, { page, maxMatches, characters })].join("\n");
      },
    },
    options,
  );
}

function tooFar(page: number): string {
  return `Error: page ${page} is behind the first ${mostMatches} matches. Narrow the pattern, the path or the glob.`;
}

/** A match with the lines around it, as they are shown. */
interface Hit {
  readonly file: FileHits;
  /** 1 for the first match of its file. */
  readonly number: number;
  readonly line: number;
  readonly lines: string[];
}

interface FileHits {
  readonly path: string;
  /** Matches of the file, which may be more than `hits`. */
  readonly count: number;
  readonly hits: Hit[];
}

/** Returns the files of a result, those with few matches first. */
function filesOf({ matches = [], counts = [] }: GrepResult, around: number): readonly FileHits[] {
  const files = new Map(
    counts.map(({ path, matches: count }) => [
      path,
      { path, count, hits: [] as Hit[], before: [] as string[] },
    ]),
  );
  for (const match of matches) {
    const file = files.get(match.path);
    const newest = file?.hits.at(-1);
    const text = matchLine(match);
    if (match.context !== true) {
      const lines = [...(file?.before.splice(0) ?? []), text];
      file?.hits.push({ file, number: file.hits.length + 1, line: match.line, lines });
    } else if (newest !== undefined && match.line <= newest.line + around) newest.lines.push(text);
    else file?.before.push(text);
  }
  return [...files.values()].toSorted((a, b) => a.count - b.count || (a.path < b.path ? -1 : 1));
}

function matchLine({ path, line, text, context, range }: GrepMatch): string {
  const bytes = range === undefined ? "" : ` [bytes ${range.start}-${range.end}]`;
  return context === true ? `${path}-${line}- ${text}` : `${path}:${line}:${bytes} ${text}`;
}

interface PageOptions {
  readonly page: number;
  /** Matches on a page. */
  readonly maxMatches: number;
  /** Characters of the whole result. */
  readonly characters: number;
}

/** Returns the lines of a page; all matches without more words where they fit on the first one. */
function pageLines(
  files: readonly FileHits[],
  { page, maxMatches, characters }: PageOptions,
): readonly string[] {
  const total = files.reduce((sum, { count }) => sum + count, 0);
  const hits = inTurns(files);
  const size = hits.reduce((sum, hit) => sum + sizeOf(hit), 0);
  const isAll = hits.length === total && total <= maxMatches && size <= characters;
  const room = isAll ? characters : Math.floor(characters * (1 - countsShare)) - frameCharacters;
  const { start, end } = pageOf(hits, { page, maxMatches, characters: room });
  if (start === end) return [`[There is no page ${page}: the ${total} matches end before it]`];
  const shown = hits.slice(start, end);
  const lines = files.flatMap((file) => fileLines(file, shown, room));
  if (isAll) return lines;
  const left = total - end;
  return [
    countsLine(files, total, Math.floor(characters * countsShare)),
    ...lines,
    ...(left > 0 ? [`[${left} more: go on with page ${page + 1}, or search more narrowly]`] : []),
  ];
}

/** The first match of every file, then the second of those that have one, and so on. */
function inTurns(files: readonly FileHits[]): readonly Hit[] {
  return files.flatMap(({ hits }) => hits).toSorted((a, b) => a.number - b.number);
}

function sizeOf({ lines }: Hit): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** Returns which hits a page has. Pages before it are filled the same way, so that they join without a gap. */
function pageOf(hits: readonly Hit[], { page, maxMatches, characters }: PageOptions) {
  let [start, used] = [0, 0];
  let current = 1;
  let onPage = new Set<FileHits>();
  for (const [index, hit] of hits.entries()) {
    const size = sizeOf(hit) + (onPage.has(hit.file) ? 0 : rangeLine(hit.file, [hit]).length + 10);
    if (index > start && (index - start === maxMatches || used + size > characters)) {
      if (current === page) return { start, end: index };
      [start, used, onPage] = [index, 0, new Set()];
      current++;
    }
    used += size;
    onPage.add(hit.file);
  }
  return current === page ? { start, end: hits.length } : { start: 0, end: 0 };
}

function fileLines(file: FileHits, shown: readonly Hit[], room: number): readonly string[] {
  const own = shown.filter((hit) => hit.file === file);
  if (own.length === 0) return [];
  const isWhole = own.length === file.count;
  return [...own.flatMap((hit) => fitted(hit, room)), ...(isWhole ? [] : [rangeLine(file, own)])];
}

/** A single match that is larger than a page loses the lines around it. */
function fitted(hit: Hit, room: number): readonly string[] {
  if (sizeOf(hit) <= room) return hit.lines;
  const line = hit.lines.find((one) => one.startsWith(`${hit.file.path}:`)) ?? "";
  return [line.slice(0, room)];
}

function rangeLine({ path, count }: FileHits, own: readonly Hit[]): string {
  const [first = 0, last = 0] = [own[0]?.number, own.at(-1)?.number];
  return `[${path}: ${first === last ? `match ${first}` : `matches ${first}-${last}`} of ${count}]`;
}

function countsLine(files: readonly FileHits[], total: number, characters: number): string {
  let used = 0;
  const parts = files.map(({ path, count }) => `${path} ${count}`);
  const cut = parts.findIndex((part) => (used += part.length + 2) > characters);
  const named = cut < 0 ? parts : [...parts.slice(0, cut), `${parts.length - cut} files with more`];
  return `[${total} matches in ${files.length} files: ${named.join(", ")}]`;
}
