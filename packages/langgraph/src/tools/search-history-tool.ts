import type { DynamicStructuredTool } from "@langchain/core/tools";
import type { Hit, RecallIndex } from "@palimpsest/recall";
import { inlineText, once } from "@palimpsest/context/internal";
import { z } from "zod";
import { hiddenFolders } from "../lanes/hidden-folders.js";
import { feedOf, type Filling } from "./archive-feed.js";
import {
  boundedLines,
  fileTool,
  roomOf,
  type FileToolsOptions,
  type MemoryHit,
  type MemoryHits,
} from "./file-tool.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";

export interface SearchHistoryToolOptions extends FileToolsOptions {
  /** Where the archive is indexed: `RecallIndex.fromPath("agent.recall.db")`, or `RecallIndex.inMemory()`. */
  readonly index: RecallIndex;
}

const schema = once(() =>
  z.object({
    query: z
      .string()
      .min(1)
      .describe("What you look for, in your own words; names, paths and numbers help most."),
    limit: z.number().int().min(1).max(20).optional().describe("Passages to return; 5 if absent."),
    path: z
      .string()
      .optional()
      .describe("Only files whose path begins so: /context/results/, /context/inputs/ or /context/history/."),
  }),
);

/**
 * Returns the `search_history` tool: the passages of the thread's archive that match a question best, with path and offset. With
 * `memory`, those of the other threads in the run's scope follow, with thread, message and time.
 *
 * From now on, files that are appended to an archive through `files` are indexed at once. A search lists the archive if that is
 * due, which rebuilds a lost index and finds the files of other processes. The first search waits for an index to be filled for
 * at most 8 seconds, later ones for 250 ms; then it answers from the files indexed so far and says how many are missing.
 * @throws ContextError when an option cannot work.
 */
export function searchHistoryTool(given: SearchHistoryToolOptions): DynamicStructuredTool {
  parseOptions(given, surface("searchHistoryTool", "search"));
  const { index, ...options } = given;
  const { memory } = options;
  const room = roomOf(options);
  const feed = feedOf(options.files, index);
  return fileTool(
    {
      name: "search_history",
      description:
        "Finds again what left your context: searches the archived results, inputs and messages of this thread, best first" +
        (memory === undefined ? ". " : ", then what was said in earlier threads, with thread and time. ") +
        "Go on with read_file at the path and offset of a hit.",
      schema: schema(),
      async run({ query, limit = 5, path }, files, { scope, lane }) {
        let filling = await feed.update(files);
        const lanes = options.files.lanes(files.threadId);
        const except = hiddenFolders(await lanes.list(), lane);
        const filter = { thread: files.threadId, limit, except, ...(path === undefined ? {} : { path }) };
        let hits = await index.search(query, filter);
        // A broken index starts again empty.
        if (hits.length === 0 && filling === undefined) {
          filling = await feed.fill(files);
          hits = await index.search(query, filter);
        }
        const said = filling === undefined ? [] : [progress(filling)];
        // A path is one of the thread's own archive.
        const others =
          scope === undefined || path !== undefined
            ? undefined
            : await memory?.search(scope, query, { limit, except: files.threadId });
        const mayRead = lanes.reader(lane);
        const allowed = await Promise.all(hits.map(async (hit) => mayRead(hit.path)));
        const found = hits.filter((_, at) => allowed[at]);
        const shown = [...found.flatMap(show), ...showOthers(others)];
        if (shown.length > 0) return boundedLines([...said, ...shown], room, "ask for fewer with limit");
        const where = filling === undefined ? "in the archive" : "of that";
        return [...said, `Nothing ${where} fits "${query}". Try other words, or grep on /context/.`].join(
          "\n",
        );
      },
    },
    options,
  );
}

function progress({ added, of }: Filling): string {
  return `[The archive is being indexed: ${added} of ${of} files so far. Search again later for what is missing, or grep.]`;
}

/** Notes stand first: they say in a line what changed. */
function showOthers({ notes, passages }: MemoryHits = { notes: [], passages: [] }): string[] {
  const lines = notes.map(
    ({ at, text, path, line }) => `- ${timeOf(at)}: ${inlineText(text)} [${path}, offset ${line - 1}]`,
  );
  const noted = lines.length === 0 ? [] : ["## Notes from earlier threads, the newest last", ...lines, ""];
  return [...noted, ...passages.flatMap(showOther)];
}

function showOther({ threadId, path, line, text, at, messageId }: MemoryHit): string[] {
  const message = messageId === undefined ? "" : `, message ${inlineText(messageId, 80)}`;
  const source = `thread ${inlineText(threadId, 80)}${message}, ${timeOf(at)}`;
  return [`## ${path}, offset ${line - 1} (${source})`, ...text.split("\n"), ""];
}

function timeOf(at: string): string {
  return at.slice(0, 16).replace("T", " ");
}

function show({ path, line, text }: Hit): string[] {
  return [`## ${path}, offset ${line - 1}`, ...text.split("\n"), ""];
}
