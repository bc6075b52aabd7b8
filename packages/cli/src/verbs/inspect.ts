import { once } from "node:events";
import { startInspector } from "@palimpsest/inspector";
import { countOption, type Verb } from "../verb.js";

/** Serves the page until it is interrupted. */
export const inspect: Verb = {
  name: "inspect",
  description: "Open a page with the timeline of each thread and what the model was sent at every step",
  args: [],
  options: [
    ["--port <number>", "the port to listen on (default: any free port)"],
    ["--host <address>", "the address to listen on; anything but 127.0.0.1 is reached from other machines"],
    ["--window <tokens>", "the context window of the agent, drawn as a line"],
  ],
  async run({ saver, target, options, progress }) {
    const { host = "127.0.0.1" } = options;
    const inspector = await startInspector({
      saver,
      host: String(host),
      ...(options["port"] === undefined ? {} : { port: countOption(options, "port") }),
      ...(options["window"] === undefined ? {} : { window: countOption(options, "window") }),
    });
    if (host !== "127.0.0.1") progress(`Listening on ${String(host)}: other machines can reach this page.`);
    progress(`${target} is open, read-only, at\n\n  ${inspector.url}\n\nPress Ctrl+C to end.`);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    await inspector.close();
    return { data: {}, text: "" };
  },
};
