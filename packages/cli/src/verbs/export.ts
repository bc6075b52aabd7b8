import type { BaseMessage } from "@langchain/core/messages";
import { toStoredMessage } from "@palimpsest/context";
import { historyMarkdown } from "@palimpsest/context/internal";
import { CliError } from "../cli-error.js";
import { anthropicMessages } from "../formats/anthropic-messages.js";
import { openaiMessages } from "../formats/openai-messages.js";
import { readState, unfoldState } from "@palimpsest/inspector";
import type { Verb } from "../verb.js";
import { writeNew } from "../write-new.js";

const formats: Readonly<Record<string, (messages: readonly BaseMessage[]) => string>> = {
  jsonl: (messages) => messages.map((message) => `${JSON.stringify(toStoredMessage(message))}\n`).join(""),
  markdown: historyMarkdown,
  openai: (messages) => `${JSON.stringify(openaiMessages(messages), undefined, 2)}\n`,
  anthropic: (messages) => `${JSON.stringify(anthropicMessages(messages), undefined, 2)}\n`,
};

/** Writes the whole thread as text. */
export const exportThread: Verb = {
  name: "export",
  description: "Write a thread as it happened: lossless as JSON lines, or readable as Markdown",
  args: ["<thread>"],
  options: [
    [
      "--format <format>",
      "jsonl, one stored message on each line; markdown; openai or anthropic, as their APIs take it",
      "jsonl",
    ],
    ["--output <file>", "a new file (default: standard output)"],
    ["--at <step>", "a step, or the id of a checkpoint (default: the newest)"],
    ["--context", "what the model is sent, in place of the whole thread"],
  ],
  async run({ saver, args: [threadId = ""], options }) {
    const render = formats[String(options["format"])];
    if (render === undefined) {
      throw new CliError(
        `--format is ${String(options["format"])}. Pass jsonl, markdown, openai or anthropic.`,
      );
    }
    const state = await readState(saver, threadId, options["at"] as string | undefined);
    const messages = options["context"] === true ? state.context : await unfoldState(saver, state);
    const [text, output] = [render(messages), options["output"]];
    if (typeof output !== "string")
      return { data: messages.map((message) => toStoredMessage(message)), text };
    writeNew(output, text);
    return {
      data: { output, messages: messages.length },
      text: `${messages.length} messages are in ${output}.\n`,
    };
  },
};
