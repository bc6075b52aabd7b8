import { existsSync, realpathSync } from "node:fs";
import type { BaseMessage } from "@langchain/core/messages";
import { toStoredMessage } from "@palimpsest/context";
import { historyMarkdown } from "@palimpsest/context/internal";
import { CliError, UsageError } from "../cli-error.js";
import { anthropicMessages } from "../formats/anthropic-messages.js";
import { foldExamples } from "../formats/fold-examples.js";
import { openaiMessages } from "../formats/openai-messages.js";
import { readState, unfoldState } from "@palimpsest/inspector";
import { isPostgres } from "../open-storage.js";
import { copyThreads } from "../savers/copy-threads.js";
import { openOtherSaver } from "../savers/other-saver.js";
import { writeSource } from "../sessions/write-source.js";
import type { Report, Verb, VerbInput } from "../verb.js";
import { terminalJson, terminalText } from "../terminal-text.js";
import { checkNew, writeNew } from "../write-new.js";

const formats: Readonly<Record<string, (messages: readonly BaseMessage[]) => string>> = {
  jsonl: (messages) => messages.map((message) => `${terminalJson(toStoredMessage(message))}\n`).join(""),
  markdown: (messages) => terminalText(historyMarkdown(messages)),
  openai: (messages) => `${terminalJson(openaiMessages(messages), 2)}\n`,
  anthropic: (messages) => `${terminalJson(anthropicMessages(messages), 2)}\n`,
};

/** Writes the whole thread as text, or copies threads into one of LangGraph's own savers. */
export const exportThread: Verb = {
  name: "export",
  description: "Write a whole thread as text, or copy threads into one of LangGraph's own savers",
  args: ["[thread]"],
  options: [
    [
      "--format <format>",
      "jsonl (one stored message per line, lossless), markdown, openai or anthropic (formats of their APIs), or folds (an example for fine-tuning per fold: context, directive, what was asked for again)",
      "jsonl",
    ],
    ["--output <file>", "a new file (default: standard output)"],
    ["--at <step>", "a step, or the id of a checkpoint (default: the newest)"],
    ["--context", "write what the model is sent instead of the whole thread"],
    ["--source <file>", "write the session that the thread was imported from to a new file, byte for byte"],
    [
      "--saver <target>",
      "copy the thread, or every thread, into a SqliteSaver file or a PostgresSaver database, and compare each copy",
    ],
  ],
  async run(input) {
    const { saver, args, options } = input;
    const [threadId] = args;
    if (typeof options["saver"] === "string") return copyOut(input, options["saver"]);
    if (threadId === undefined)
      throw new UsageError("No thread is named. Pass its id, or --saver TARGET to copy every thread.");
    if (typeof options["source"] === "string") return writeSource(input, options["source"]);
    const { format, output } = options;
    const render = formats[String(format)];
    if (render === undefined && format !== "folds") {
      throw new UsageError(
        `--format is ${String(format)}. Pass jsonl, markdown, openai, anthropic or folds.`,
      );
    }
    if (typeof output === "string") checkNew(output);
    if (render === undefined) return exportFolds(input, threadId);
    const state = await readState(saver, threadId, options["at"] as string | undefined);
    const messages = options["context"] === true ? state.context : await unfoldState(saver, state);
    const data = messages.map((message) => toStoredMessage(message));
    return written({ output, text: render(messages), data, what: "messages" });
  },
};

async function exportFolds({ saver, options }: VerbInput, threadId: string): Promise<Report> {
  const { at, context, output } = options;
  if (at !== undefined || context !== undefined)
    throw new UsageError("--format folds writes the folds of all steps: leave --at and --context out.");
  const data = await foldExamples(saver, threadId);
  const text = data.map((one) => `${terminalJson(one)}\n`).join("");
  return written({ output, text, data, what: "folds" });
}

interface Written {
  readonly output: unknown;
  readonly text: string;
  readonly data: readonly unknown[];
  readonly what: "messages" | "folds";
}

/** Prints a text, or writes it to a new file. */
function written({ output, text, data, what }: Written): Report {
  if (typeof output !== "string") return { data, text };
  writeNew(output, text);
  return { data: { output, [what]: data.length }, text: `${data.length} ${what} are in ${output}.\n` };
}

/** Options of `export` as text, which a copy into a saver does not support. */
const textOptions = ["output", "at", "context", "source"];

async function copyOut({ saver, target, args, options, progress }: VerbInput, to: string): Promise<Report> {
  const given = textOptions.find((name) => options[name] !== undefined);
  if (given !== undefined)
    throw new UsageError(`--${given} does not go with --saver, which copies every checkpoint.`);
  const isFile = !isPostgres(target) && existsSync(to);
  if (isFile && realpathSync(to) === realpathSync(target))
    throw new CliError(`--saver is ${to}, the storage itself. Pass the path of another file.`);
  const threads = await threadsToCopy(saver, args[0]);
  const other = await openOtherSaver(to, { create: true });
  try {
    const report = await copyThreads({ from: saver, to: other.saver, other: to, threads, progress });
    const text = `${report.text}Originals of folded messages stay in the storage: keep it, or export the threads as jsonl too.\n`;
    return { ...report, text };
  } finally {
    await other.close();
  }
}

/** Returns the threads before a target is created for them. */
async function threadsToCopy(
  saver: VerbInput["saver"],
  only: string | undefined,
): Promise<readonly string[]> {
  if (only === undefined) return saver.threads();
  // It is the first of those that begin with it.
  if ((await saver.threads({ prefix: only, limit: 1 }))[0] === only) return [only];
  throw new CliError(`There is no thread ${JSON.stringify(only)}. "palimpsest threads" lists all threads.`);
}
