import type { DynamicStructuredTool } from "@langchain/core/tools";
import type { Hit, RecallIndex } from "@palimpsest/recall";
import { inlineText, once } from "@palimpsest/context/internal";
import { z } from "zod";
import { hiddenFolders } from "../../lanes/hidden-folders.js";
import { feedOf, type Filling } from "./archive-feed.js";
import { archivedMessages } from "../archived-messages.js";
import { chatNeighbours, chatWeights, isChat } from "./chat-weights.js";
import { fileTool, type FileToolsOptions } from "../file-tool.js";
import { boundedLines, roomOf } from "../result-room.js";
import type { MemoryHit, MemoryHits } from "../tool-memory.js";
import { requireOptions } from "../../options/require-options.js";

export interface SearchHistoryToolOptions extends FileToolsOptions {
  /** Where the archive is indexed: `RecallIndex.fromPath("agent.recall.db")`, or `RecallIndex.inMemory()`. */
  readonly index: RecallIndex;
}

/** The most hits of one search. */
const maxHits = 100;
/** Characters of the hits of a search without a limit: what five passages of 12 lines have on average, of words and of results. */
const usualCharacters = { chat: 4_800, results: 3_200 };
/** The most hits of a search without a limit, which shows those that fit. */
const usualHits = 12;
/** Passages of the other threads, for a search without a limit. */
const usualOthers = 5;
/** The newest passage counts more than the oldest: of values that changed, the last one holds. */
const ranking = { weigh: chatWeights, neighbourShare: chatNeighbours, recency: 0.1 };
/** Lines of a hit, with its heading, that are worth showing without the rest. */
const leastLines = 4;
/** Hits beyond the limit that take the place of those that repeat others. */
const spare = 5;

const schema = once(() =>
  z.object({
    query: z
      .string()
      .min(1)
      .describe("What you look for, in your own words; names, paths and numbers help most."),
    limit: z
      .number()
      .int()
      .min(1)
      .max(maxHits)
      .optional()
      .describe("Passages to return; if absent, the best in some 1,000 tokens."),
    path: z
      .string()
      .optional()
      .describe("Only files whose path begins so: /context/results/, /context/inputs/ or /context/history/."),
  }),
);

/**
 * Returns the `search_history` tool: the passages of the thread's archive that match a question best, with path and offset. With
 * `memory`, those of the other threads in the run's scope follow, with thread, message and time. Without a limit, it returns
 * the best passages that fit into 3,200 characters, in a chat without tools 4,800. A line that a better hit shows is not repeated at the ends of another. In a chat
 * without tools, the words of the side that writes less count more. Of passages that match alike, newer ones come first.
 *
 * From now on, files that are appended to an archive through `files` are indexed at once. A search lists the archive if that is
 * due, which rebuilds a lost index and finds the files of other processes. The first search waits for an index to be filled for
 * at most 8 seconds, later ones for 250 ms; then it answers from the files indexed so far and says how many are missing.
 * @throws ContextError when an option cannot work.
 */
export function searchHistoryTool(given: SearchHistoryToolOptions): DynamicStructuredTool {
  requireOptions(given, "searchHistoryTool");
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
      async run({ query, limit, path }, files, { scope, lane }) {
        let filling = await feed.update(files);
        const lanes = options.files.lanes(files.threadId);
        const except = hiddenFolders(await lanes.list(), lane);
        const own = { thread: files.threadId, except, ...(path === undefined ? {} : { path }) };
        const filter = { ...own, ...ranking, limit: (limit ?? usualHits) + spare };
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
            : await memory?.search(scope, query, { limit: limit ?? usualOthers, except: files.threadId });
        const mayRead = lanes.reader(lane);
        const allowed = await Promise.all(hits.map(async (hit) => mayRead(hit.path)));
        const found = withoutRepeats(hits.filter((_, at) => allowed[at])).slice(0, limit);
        const best = limit === undefined ? usual(found) : found.flatMap(show);
        const shown = [...best, ...showOthers(others)];
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

/** Notes stand first: they say in a line what changed. A note whose words stand in a passage says nothing more. */
function showOthers({ notes, passages }: MemoryHits = { notes: [], passages: [] }): string[] {
  const isInPassage = (note: MemoryHit) =>
    passages.some(({ path, text }) => path === note.path && text.includes(note.text));
  const lines = notes
    .filter((note) => !isInPassage(note))
    .map(({ at, text, path, line }) => `- ${timeOf(at)}: ${inlineText(text)} [${path}, offset ${line - 1}]`);
  const noted = lines.length === 0 ? [] : ["## Notes from earlier threads, the newest last", ...lines, ""];
  const named = new Set<string>();
  return [
    ...noted,
    ...passages.flatMap((hit) => {
      const isNamed = named.has(hit.threadId);
      named.add(hit.threadId);
      return showOther(hit, isNamed);
    }),
  ];
}

/** The first hit of a thread names it, and a hit names its message where no line of it does. */
function showOther({ threadId, path, line, text, at, messageId }: MemoryHit, isNamed: boolean): string[] {
  const lines = text.split("\n");
  const thread = isNamed ? [] : [`thread ${inlineText(threadId, 80)}`];
  const hasMessage = messageId === undefined || archivedMessages(lines).some(({ id }) => id === messageId);
  const message = hasMessage ? [] : [`message ${inlineText(messageId, 80)}`];
  const source = [...thread, ...message, timeOf(at)].join(", ");
  return [`## ${path}, offset ${line - 1} (${source})`, ...lines, ""];
}

function timeOf(at: string): string {
  return at.slice(0, 16).replace("T", " ");
}

/**
 * Returns hits without the lines at their ends that a better hit shows, and without hits that show nothing else: an agent reads a
 * file several times, and each reading is in the archive. Pure.
 */
function withoutRepeats(hits: readonly Hit[]): readonly Hit[] {
  const shown = new Set<string>();
  return hits.flatMap((hit) => {
    const lines = hit.text.split("\n");
    const fresh = lines.map((line) => line.trim() !== "" && !shown.has(line.trim()));
    const [from, to] = [fresh.indexOf(true), fresh.lastIndexOf(true) + 1];
    for (const line of lines) shown.add(line.trim());
    return from < 0 ? [] : [{ ...hit, line: hit.line + from, text: lines.slice(from, to).join("\n") }];
  });
}

/**
 * Returns the lines of hits while they fit, and all of the first hit. A hit that does not fit is cut where its heading and three lines
 * do. Pure.
 */
function usual(hits: readonly Hit[]): readonly string[] {
  let left = isChat(hits) ? usualCharacters.chat : usualCharacters.results;
  const shown: string[] = [];
  for (const [at, hit] of hits.map(show).entries()) {
    const over = hit.findIndex((line) => (left -= line.length + 1) < 0);
    if (over < 0 || at === 0) shown.push(...hit);
    else return over < leastLines ? shown : [...shown, ...hit.slice(0, over), ""];
  }
  return shown;
}

function show({ path, line, text }: Hit): string[] {
  return [`## ${path}, offset ${line - 1}`, ...text.split("\n"), ""];
}
