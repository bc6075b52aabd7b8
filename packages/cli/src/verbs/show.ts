import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toolCalls, toStoredMessage } from "@palimpsest/context";
import { withoutHeadings } from "@palimpsest/context/internal";
import { readState, unfoldState } from "@palimpsest/inspector";
import { count, oneLine, terminalText } from "../terminal-text.js";
import { countOption, type Verb } from "../verb.js";

/** Prints the messages of a thread: what the model is sent, or the whole thread. */
export const show: Verb = {
  name: "show",
  description: "Print what the model is sent at a step, or with --unfolded the whole thread",
  args: ["<thread>"],
  options: [
    ["--at <step>", "a step, or the id of a checkpoint (default: the newest)"],
    ["--unfolded", "print the thread as it happened, with every fold opened"],
    ["--characters <number>", "maximum characters of a message", "1000"],
  ],
  async run({ saver, args: [threadId = ""], options }) {
    const characters = countOption(options, "characters");
    const state = await readState(saver, threadId, options["at"] as string | undefined);
    const messages = options["unfolded"] === true ? await unfoldState(saver, state) : state.context;
    return {
      data: messages.map((message) => toStoredMessage(message)),
      text: messages.map((message, index) => render(message, { index, characters })).join("\n"),
    };
  },
};

function render(message: BaseMessage, { index, characters }: { index: number; characters: number }): string {
  const fold = foldOf(message);
  const name = message.name === undefined ? "" : ` ${message.name}`;
  const seam = fold === undefined ? "" : ` [${fold.kind}: ${fold.path}]`;
  const calls = toolCalls(message).map((call) => `-> ${call.name}(${JSON.stringify(call.args)})`);
  const lines = [message.text, ...calls].filter((line) => line !== "").map((line) => clip(line, characters));
  const title = oneLine(`## ${index + 1}. ${message.getType()}${name}${seam}`, 400);
  return `${title}\n${withoutHeadings(lines.join("\n"))}\n`;
}

function clip(text: string, characters: number): string {
  if (text.length <= characters) return terminalText(text);
  return `${terminalText(text.slice(0, characters))}… [${count(text.length - characters)} more characters]`;
}
