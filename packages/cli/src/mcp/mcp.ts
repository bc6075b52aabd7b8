import { once } from "node:events";
import type { McpServer } from "@modelcontextprotocol/server";
import { CliError, UsageError } from "../cli-error.js";
import { countOption, type Verb } from "../verb.js";
import { version } from "../version.js";
import { History } from "./history.js";

const tokenVariable = "PALIMPSEST_MCP_TOKEN";

/** Serves the history of threads to agents, over the Model Context Protocol, until it is interrupted. */
export const mcp: Verb = {
  name: "mcp",
  description:
    "Serve the history of threads to agents over the Model Context Protocol, on standard input and output",
  args: [],
  options: [
    ["--thread <thread>", "serve only this thread"],
    ["--scope <prefix>", "serve only threads whose id begins with this prefix, such as those of one tenant"],
    ["--http", "serve streamable HTTP on the loopback address instead"],
    ["--port <number>", "the port of --http (default: any free port)"],
  ],
  async run({ saver, target, options, notice }) {
    const { thread, scope, http, port } = options;
    if (thread !== undefined && scope !== undefined)
      throw new UsageError("--thread names one thread and --scope many. Pass one of them.");
    if (port !== undefined && http !== true)
      throw new UsageError("--port is the port of --http. Add --http, or leave it out.");
    const { historyServer } = await import("./mcp-server.js");
    const history = new History(saver, {
      ...(thread === undefined ? {} : { thread: String(thread) }),
      ...(scope === undefined ? {} : { prefix: String(scope) }),
    });
    const create = () => historyServer(history, version());
    try {
      if (http === true) {
        const { serveHttp } = await import("./serve-http.js");
        const given = port === undefined ? {} : { port: countOption(options, "port") };
        const service = await serveHttp(create, { ...given, token: process.env[tokenVariable] });
        notice(
          `${target} is served read-only at\n\n  ${service.url}\n\nwith Authorization: Bearer ${service.token}\n\nPress Ctrl+C to end.`,
        );
        await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
        await service.close();
      } else {
        await serveOnPipes(create);
      }
    } finally {
      await history.close();
    }
    // Standard output belongs to the protocol.
    return { data: {}, text: "" };
  },
};

/**
 * Serves until the client closes its end, or the process is interrupted. Throws a CliError where the connection ends by itself, as it
 * does after a message that is too large: the client would wait for ever.
 */
async function serveOnPipes(create: () => McpServer): Promise<void> {
  const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const { stdin } = process;
  const transport = new StdioServerTransport();
  let failure: Error | undefined;
  const served = serveStdio(create, { transport, onerror: (error) => (failure = error) });
  const isClosed = new Promise<boolean>((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve(!stdin.readableEnded && !stdin.destroyed);
    };
  });
  const events = [
    once(process, "SIGINT"),
    once(process, "SIGTERM"),
    once(stdin, "end"),
    once(stdin, "close"),
  ];
  const isByItself = await Promise.race([isClosed, ...events.map(async (event) => event.then(() => false))]);
  await served.close();
  if (isByItself)
    throw new CliError(`The connection to the client has ended: ${failure?.message ?? "unknown"}.`);
}
