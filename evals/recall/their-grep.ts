import { MemoryBackend } from "@palimpsest/vfs";
import { grepSearcher, type GrepTools } from "../cloze/grep-searcher.js";
import { wordsOf } from "../cloze/needles.js";
import { theirTools } from "../cloze/their-tools.js";
import type { Found, Lane } from "./lane.js";

/** Windows of 40 lines that are opened. */
const windows = 5;

/** deepagents' own `grep` for the rarest word of the query, then its `read_file`; cut at the tokens of `search_history`. */
export const theirGrep: Lane = {
  name: "deepagents, grep for the rarest word and read_file",
  start: searching,
};

/** The same with everything that its tools answer. */
export const theirWholeGrep: Lane = {
  name: "deepagents, the same, all that it answers",
  isWhole: true,
  start: searching,
};

function searching(): ReturnType<Lane["start"]> {
  const backend = new MemoryBackend();
  const counts = new Map<string, number>();
  const answers: string[] = [];
  const search = grepSearcher(listening(theirTools(backend), answers));
  let last = { query: "", found: [] as readonly Found[] };
  async function look(query: string): Promise<readonly Found[]> {
    if (last.query === query) return last.found;
    answers.length = 0;
    // The agent is told how rare each of its words is: it greps for one that there is.
    const words = [...new Set(wordsOf(query))].filter((word) => counts.has(word));
    const rarest = words.toSorted((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0));
    const found = rarest.length === 0 ? [] : await search.find(rarest, windows);
    last = { query, found: found.map(({ path, text }) => ({ from: Number(/\d+/.exec(path)), text })) };
    return last.found;
  }
  return {
    async add(text, from) {
      for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
      last = { query: "", found: [] };
      await backend.write(`/history/${String(from).padStart(6, "0")}.md`, text);
    },
    find: async (query, most) => (await look(query)).slice(0, most),
    async answer(query) {
      await look(query);
      return answers.join("\n");
    },
  };
}

/** Keeps what the tools answer: the lines of `grep`, then the windows. */
function listening({ grep, read, tokens }: GrepTools, answers: string[]): GrepTools {
  return {
    tokens,
    async grep(words) {
      const hits = await grep(words);
      answers.push(...hits.map(({ path, line, text }) => `${path}:${line}: ${text}`));
      return hits;
    },
    async read(path, from, count) {
      const text = await read(path, from, count);
      answers.push(text);
      return text;
    },
  };
}
