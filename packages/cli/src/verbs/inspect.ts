import { once } from "node:events";
import { buildReport, reportHtml, startInspector } from "@palimpsest/inspector";
import { CliError } from "../cli-error.js";
import { writeNew } from "../write-new.js";
import { countOption, type Report, type Verb, type VerbInput } from "../verb.js";

/** Serves the page until it is interrupted, or writes it into a file with the data of one thread. */
export const inspect: Verb = {
  name: "inspect",
  description: "Open a page with the timeline of each thread and what the model was sent at every step",
  args: [],
  options: [
    ["--port <number>", "the port to listen on (default: any free port)"],
    ["--host <address>", "the address to listen on; anything but 127.0.0.1 is reached from other machines"],
    ["--window <tokens>", "the context window of the agent, drawn as a line"],
    ["--act", "let the page write forks of a step: new checkpoints, never another one"],
    ["--report <file>", "write the page of one thread into a new file that needs no server"],
    ["--thread <thread>", "the thread of the report (default: the one that was written to last)"],
  ],
  writesWith: "act",
  async run(input) {
    const { saver, target, options, progress } = input;
    if (options["report"] !== undefined && options["act"] === true)
      throw new CliError("A report is read-only. Pass --act or --report, not both.");
    if (options["report"] !== undefined) return writeReport(input, String(options["report"]));
    if (options["thread"] !== undefined)
      throw new CliError(
        "--thread chooses the thread of a report. Add --report FILE, or choose it on the page.",
      );
    const { host = "127.0.0.1" } = options;
    const canAct = options["act"] === true;
    const inspector = await startInspector({
      saver,
      canAct,
      host: String(host),
      ...(options["port"] === undefined ? {} : { port: countOption(options, "port") }),
      ...(options["window"] === undefined ? {} : { window: countOption(options, "window") }),
    });
    if (host !== "127.0.0.1") progress(`Listening on ${String(host)}: other machines can reach this page.`);
    const access = canAct ? "and its page can write forks" : "read-only";
    progress(`${target} is open, ${access}, at\n\n  ${inspector.url}\n\nPress Ctrl+C to end.`);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    await inspector.close();
    return { data: {}, text: "" };
  },
};

async function writeReport({ saver, options, progress }: VerbInput, path: string): Promise<Report> {
  const report = await buildReport(saver, {
    thread: options["thread"] === undefined ? undefined : String(options["thread"]),
    window: options["window"] === undefined ? undefined : countOption(options, "window"),
    progress: (done, all) =>
      done % 100 === 0 || done === all ? progress(`${done} of ${all} steps`) : undefined,
  });
  const html = reportHtml(report);
  writeNew(path, html);
  const { thread, rows, happened } = report;
  return {
    data: { path, thread: thread.thread, steps: rows.length, messages: happened.length, bytes: html.length },
    text: `${path}: ${thread.thread}, ${rows.length} steps, ${happened.length} messages, ${html.length} bytes\n`,
  };
}
