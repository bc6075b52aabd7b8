import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { buildReport, listThreads, newestStep, reportHtml, startInspector } from "@palimpsest/inspector";
import { CliError, UsageError } from "../cli-error.js";
import { followThread } from "../following/follow-thread.js";
import { terminalPage } from "../following/terminal-page.js";
import { count } from "../terminal-text.js";
import { checkNew, writeNew } from "../write-new.js";
import { countOption, type Report, type Verb, type VerbInput } from "../verb.js";

/** Serves the page until it is interrupted, or writes it into a file with the data of one thread. */
export const inspect: Verb = {
  name: "inspect",
  description: "Serve a page with the timeline of each thread and the prompt of every step",
  args: [],
  options: [
    ["--port <number>", "the port to listen on (default: any free port)"],
    [
      "--host <address>",
      "the address to listen on (default: 127.0.0.1); other machines can reach any other address",
    ],
    ["--window <tokens>", "the agent's context window, shown as a line"],
    ["--token <token>", "the token of the page, for links that outlive a restart (default: random)"],
    ["--act", "let the page fork a thread at a step, which writes new checkpoints"],
    ["--report <file>", "write the page of one thread to a new file and serve nothing"],
    ["--tui", "show the state of a thread in the terminal and follow it"],
    ["--thread <thread>", "the thread of --report or --tui (default: the newest)"],
  ],
  writesWith: "act",
  async run(input) {
    const { saver, target, options, notice } = input;
    if (options["report"] !== undefined && options["act"] === true)
      throw new UsageError("A report is read-only. Pass --act or --report, not both.");
    if (options["report"] !== undefined && options["tui"] === true)
      throw new UsageError("--report writes a file and --tui shows a thread. Pass one of them.");
    if (options["report"] !== undefined) return writeReport(input, String(options["report"]));
    if (options["tui"] === true) return follow(input);
    if (options["thread"] !== undefined)
      throw new UsageError(
        "--thread chooses the thread of a report. Add --report FILE or --tui, or choose it on the page.",
      );
    const { host = "127.0.0.1" } = options;
    const canAct = options["act"] === true;
    const { token } = options;
    collectEarly();
    const inspector = await startInspector({
      saver,
      canAct,
      host: String(host),
      ...(options["port"] === undefined ? {} : { port: countOption(options, "port") }),
      ...(options["window"] === undefined ? {} : { window: countOption(options, "window") }),
      ...(token === undefined ? {} : { token: String(token) }),
    });
    if (host !== "127.0.0.1") notice(`Listening on ${String(host)}: other machines can reach this page.`);
    const access = canAct ? "with a page that can fork threads" : "read-only";
    notice(`${target} is open, ${access}, at\n\n  ${inspector.url}\n\nPress Ctrl+C to end.`);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    await inspector.close();
    return { data: {}, text: "" };
  },
};

/**
 * Lets V8 collect garbage early. The server runs beside the agent for hours and reads a thread once; by default, V8 keeps its
 * heap three times as large as the live data while the server waits.
 */
function collectEarly(): void {
  // Bun does not use V8.
  if (process.versions["bun"] === undefined) setFlagsFromString("--optimize-for-size");
}

/** Draws the current state of a thread after each change and key, until it is interrupted; once without a terminal. */
async function follow({ saver, options, terminal }: VerbInput): Promise<Report> {
  const thread = options["thread"] ?? (await listThreads(saver))[0]?.thread;
  if (typeof thread !== "string") throw new CliError("The storage holds no threads yet.");
  const window = options["window"] === undefined ? undefined : countOption(options, "window");
  const step = await newestStep(saver, thread);
  const data = step.row;
  if (terminal === undefined || options["json"] === true) {
    const on = { columns: 100, rows: Infinity, hasColors: false };
    return { data, text: `${terminalPage(thread, step, { window: window ?? step.window, ...on })}\n` };
  }
  await followThread(saver, { thread, window, terminal });
  return { data, text: "" };
}

async function writeReport({ saver, options, progress }: VerbInput, path: string): Promise<Report> {
  checkNew(path);
  const report = await buildReport(saver, {
    thread: options["thread"] === undefined ? undefined : String(options["thread"]),
    window: options["window"] === undefined ? undefined : countOption(options, "window"),
    progress: (done, all) => progress(`${done} of ${all} steps`),
  });
  const html = reportHtml(report);
  writeNew(path, html);
  const { thread, rows, happened } = report;
  const bytes = Buffer.byteLength(html);
  return {
    data: { path, thread: thread.thread, steps: rows.length, messages: happened.length, bytes },
    text: `${path}: ${thread.thread}, ${count(rows.length)} steps, ${count(happened.length)} messages, ${count(bytes)} bytes\n`,
  };
}
