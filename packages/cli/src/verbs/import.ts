import { copyThreads } from "../savers/copy-threads.js";
import { checkSource, openOtherSaver } from "../savers/other-saver.js";
import type { Verb } from "../verb.js";

/** Copies threads of LangGraph's own savers. A repeated import continues where the last one ended. */
export const importThreads: Verb = {
  name: "import",
  description:
    "Copy threads from a SqliteSaver file, a PostgresSaver database or a MemorySaver dump, and compare each copy",
  args: ["<source>", "[threads...]"],
  options: [],
  canWrite: "create",
  check: ([from = ""]) => checkSource(from),
  async run({ saver, args: [from = "", ...only], progress }) {
    const source = await openOtherSaver(from);
    try {
      const named = only.flatMap((threadId) => threadId ?? []);
      const threads = named.length > 0 ? named : await source.threads();
      return await copyThreads({ from: source.saver, to: saver, threads, progress });
    } finally {
      await source.close();
    }
  },
};
