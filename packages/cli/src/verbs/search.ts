import { foldOf } from "@palimpsest/context";
import { UsageError } from "../cli-error.js";
import { DamagedRecords } from "../damaged-records.js";
import { InspectorError, MessageSearch, readState, unfoldState, wordsOf } from "@palimpsest/inspector";
import { oneLine } from "../terminal-text.js";
import { countOption, type Verb } from "../verb.js";

interface SearchHit {
  readonly thread: string;
  /** Position in the whole thread, counted from 1. */
  readonly message: number;
  readonly type: string;
  readonly id: string | undefined;
  /** Whether the newest context shows the message word for word. */
  readonly isInContext: boolean;
  readonly excerpt: string;
}

/** Finds messages of whole threads, folded or not, newest first. */
export const search: Verb = {
  name: "search",
  description: "Find messages that contain all words, folded or not",
  args: ["<words...>"],
  options: [
    ["--thread <thread>", "search only this thread"],
    ["--limit <number>", "maximum number of messages", "20"],
  ],
  async run({ saver, target, args, options, progress, notice }) {
    const words = wordsOf(args.join(" "));
    const limit = countOption(options, "limit");
    if (words.length === 0) throw new UsageError("There is nothing to search for. Pass at least one word.");
    const hits: SearchHit[] = [];
    const damaged = new DamagedRecords(notice);
    const only = options["thread"] as string | undefined;
    for (const thread of only === undefined ? await saver.threads() : [only]) {
      progress(`searching ${oneLine(thread, 60)}`);
      const state = await readState(saver, thread).catch((error: unknown) => {
        if (only !== undefined) throw error;
        // A listed thread may have no checkpoint yet, or may be deleted since.
        if (!(error instanceof InspectorError)) damaged.addThread(thread, { error, target });
      });
      if (!state) continue;
      const shown = new Set(state.context.filter((message) => !foldOf(message)).map(({ id }) => id));
      const messages = await unfoldState(saver, state, (found) => damaged.add(thread, found));
      const found = new MessageSearch(messages).find(words, limit).map(({ place, ...hit }) => ({
        thread,
        message: place + 1,
        ...hit,
        isInContext: shown.has(hit.id),
      }));
      hits.push(...found);
      if (hits.length >= limit) break;
    }
    const shown = hits.slice(0, limit);
    const lines = shown.map(
      ({ thread, message, type, isInContext, excerpt }) =>
        `${oneLine(thread, 60)} #${message} ${type}${isInContext ? "" : ", folded"}: ${oneLine(excerpt, 200)}\n`,
    );
    const text = lines.length === 0 ? "Nothing found.\n" : lines.join("");
    return { data: shown, text, isFailure: damaged.count > 0 };
  },
};
