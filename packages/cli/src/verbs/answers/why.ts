import { ThreadReader, whyText } from "@palimpsest/inspector";
import { CliError } from "../../cli-error.js";
import { terminalText, wrapped } from "../../terminal-text.js";
import { columnsOf, type Verb } from "../../verb.js";

/** Says what became of one message. */
export const why: Verb = {
  name: "why",
  description: "Say which calls were sent a message, what folded it and why, and who asked for it again",
  args: ["<thread>", "<message>"],
  options: [],
  async run({ saver, args: [threadId = "", message = ""], progress, terminal }) {
    progress("reading the thread");
    const reader = new ThreadReader(saver, threadId);
    const place = /^\d+$/u.test(message) ? Number(message) - 1 : await reader.placeOf(message);
    const { length } = await reader.all();
    if (place === null || place < 0 || place >= length)
      throw new CliError(
        `The thread has no message ${message}. Pass its id, or its number from 1 to ${length}; palimpsest search names numbers.`,
      );
    const found = await reader.why(place);
    const text = whyText(found)
      .map((phrase) => phrase.text)
      .join("");
    const line = terminalText(`#${place + 1} ${found.type}: ${text}`);
    return { data: found, text: `${wrapped(line, columnsOf({ terminal }))}\n` };
  },
};
