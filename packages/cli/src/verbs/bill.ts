import { addUsage, readState, unfoldState } from "@palimpsest/inspector";
import { renderTable } from "../terminal-text.js";
import type { Verb } from "../verb.js";

/** Adds up the usage that the models reported, over the whole thread. */
export const bill: Verb = {
  name: "bill",
  description: "Add up the tokens that the models reported in a thread, by model",
  args: ["<thread>"],
  options: [],
  async run({ saver, args: [threadId = ""] }) {
    const messages = await unfoldState(saver, await readState(saver, threadId));
    const usages = addUsage(messages);
    const head = ["model", "calls", "input", "of it cached", "of it cache writes", "output"];
    const rows = usages.map(({ model, calls, input, cached, cacheWrites, output }) => [
      model,
      calls,
      input,
      cached,
      cacheWrites,
      output,
    ]);
    const text = "The models of this thread reported no usage.\n";
    return { data: usages, text: rows.length === 0 ? text : renderTable(head, rows) };
  },
};
