import { InspectorError } from "../inspector-error.js";
import { addUsage } from "../reading/add-usage.js";
import { damageOf } from "../reading/damage-of.js";
import { compareStates } from "../reading/compare-states.js";
import { listBranches } from "../reading/timeline/list-branches.js";
import { listAgents } from "../reading/timeline/list-agents.js";
import { listLanes } from "../reading/timeline/list-lanes.js";
import { listArchives, listThreads, sizeOfThread } from "../reading/list-threads.js";
import { readState, type ThreadOrRun } from "../reading/read-state.js";
import { maxHits, wordsOf } from "../shared/text-search.js";
import type { SearchHit, SearchView } from "../view.js";
import type { ThreadReaders } from "./thread-readers.js";

/** Answers one kind of request. */
type Route = (readers: ThreadReaders, query: URLSearchParams) => Promise<unknown>;

const maxMessages = 500;

/** The GET requests, by the name after `/api/`. None of them writes. */
export const routes: Readonly<Record<string, Route>> = {
  threads: async ({ saver }) => listThreads(saver),
  archives: async ({ saver }) => listArchives(saver),
  size: async ({ saver }, query) => sizeOfThread(saver, textOf(query, "thread")),
  lanes: async ({ saver }, query) => listLanes(saver, placeIn(query)),
  agents: async ({ saver }, query) => listAgents(saver, placeIn(query)),
  branches: async ({ saver }, query) => listBranches(saver, placeIn(query), query.get("branch") ?? undefined),
  step: async (readers, query) => (await threadIn(readers, query)).step(textOf(query, "at")),
  places: async (readers, query) => (await threadIn(readers, query)).places(textOf(query, "at")),
  open: async (readers, query) =>
    (await threadIn(readers, query)).open(textOf(query, "at"), textOf(query, "fold")),
  messages: async (readers, query) => {
    const from = numberOf(query, "from");
    return (await threadIn(readers, query)).messages(
      from,
      Math.min(numberOf(query, "to"), from + maxMessages),
    );
  },
  place: async (readers, query) => (await threadIn(readers, query)).placeOf(textOf(query, "message")),
  text: async (readers, query) =>
    (await threadIn(readers, query)).text(
      numberOf(query, "place"),
      query.has("call") ? numberOf(query, "call") : undefined,
    ),
  file: async (readers, query) =>
    (await threadIn(readers, query)).file(textOf(query, "at"), textOf(query, "path")),
  why: async (readers, query) => (await threadIn(readers, query)).why(numberOf(query, "place")),
  rework: async (readers, query) => (await threadIn(readers, query)).rework(),
  sight: async (readers, query) => (await threadIn(readers, query)).history.sight(textOf(query, "message")),
  savings: async (readers, query) =>
    (await threadIn(readers, query)).savings(query.has("window") ? numberOf(query, "window") : undefined),
  bill: async (readers, query) => addUsage(await (await threadIn(readers, query)).all()),
  search: searchThreads,
  diff: async ({ saver }, query) => {
    const of = placeIn(query);
    const [from, to] = [textOf(query, "from"), textOf(query, "to")];
    return compareStates(await readState(saver, of, from), await readState(saver, of, to));
  },
  compare: async ({ saver }, query) => {
    const other = await readState(saver, textOf(query, "other"));
    return compareStates(other, await readState(saver, placeIn(query), textOf(query, "at")));
  },
};

/** Of all threads, goes on past those that cannot be read. */
async function searchThreads(readers: ThreadReaders, query: URLSearchParams): Promise<SearchView> {
  const words = wordsOf(textOf(query, "words"));
  if (query.has("thread")) {
    const branch = query.get("branch") ?? undefined;
    return { hits: await hitsIn(readers, { of: placeIn(query), branch, words, limit: maxHits }), unread: [] };
  }
  const [hits, unread]: [SearchHit[], SearchView["unread"][number][]] = [[], []];
  if (words.length === 0) return { hits, unread };
  for (const thread of await readers.saver.threads()) {
    try {
      hits.push(...(await hitsIn(readers, { of: thread, words, limit: maxHits - hits.length })));
    } catch (error) {
      const damage = damageOf(error);
      if (damage !== undefined) unread.push({ thread, damage });
      // A listed thread may have no checkpoint yet, or may be deleted since.
      else if (!(error instanceof InspectorError)) throw error;
    }
    if (hits.length >= maxHits) break;
  }
  return { hits, unread };
}

interface Searched {
  readonly of: ThreadOrRun;
  readonly branch?: string | undefined;
  readonly words: readonly string[];
  readonly limit: number;
}

/** Without words, only has the thread read: the page is about to search it. */
async function hitsIn(
  readers: ThreadReaders,
  { of, branch, words, limit }: Searched,
): Promise<readonly SearchHit[]> {
  const reader = await readers.of(of, branch);
  const found = await reader.search(words, words.length === 0 ? 0 : limit);
  const [thread, namespace] = typeof of === "string" ? [of, ""] : [of.threadId, of.namespace];
  return found.map(({ isShown, id = null, ...hit }) => ({
    thread,
    namespace,
    ...hit,
    id,
    isInContext: isShown,
  }));
}

/** Returns the reader of the branch that a request names, by default the newest of the thread. */
export async function threadIn(readers: ThreadReaders, query: URLSearchParams) {
  return readers.of(placeIn(query), query.get("branch") ?? undefined);
}

/** Returns the thread that a request names, or the run of a subgraph if it names a namespace. */
function placeIn(query: URLSearchParams): ThreadOrRun {
  const [threadId, namespace] = [textOf(query, "thread"), query.get("namespace")];
  return namespace === null ? threadId : { threadId, namespace };
}

function textOf(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null) throw new InspectorError(`The request has no ${name}.`);
  return value;
}

function numberOf(query: URLSearchParams, name: string): number {
  const value = Number(query.get(name) ?? Number.NaN);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InspectorError(`${name} is ${String(query.get(name))}. Pass a whole number.`);
}
