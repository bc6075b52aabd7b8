import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { CheckpointError } from "@palimpsest/checkpoint";
import { ContextError } from "@palimpsest/context";
import { FileError } from "@palimpsest/vfs";
import { InspectorError } from "../inspector-error.js";
import { actRoutes, readForkRequest } from "./act-routes.js";
import { Guard } from "./guard.js";
import { readPage, type PageFile } from "./page-file.js";
import { routes, threadIn } from "./routes.js";
import { ThreadReaders } from "./thread-readers.js";
import { timelineLines } from "./timeline-lines.js";

export interface InspectorOptions {
  /** Opened read-only, unless `canAct`. Closing the inspector does not close it. */
  readonly saver: VfsSaver;
  /** Lets the page write forks of a step: new checkpoints, never another one. @default false: everything only reads */
  readonly canAct?: boolean;
  /** @default any free port */
  readonly port?: number;
  /** The address to listen on. @default "127.0.0.1": this machine alone */
  readonly host?: string;
  /** Tokens of the agent's context window, drawn as a line. @default what a middleware recorded in the thread, if any */
  readonly window?: number;
  /** The token of the page, at least 16 letters, digits, `-` and `_`. @default random, new with each start */
  readonly token?: string;
}

export interface Inspector {
  /** The address of the page. Its fragment holds the token without which the server answers nothing. */
  readonly url: string;
  close(): Promise<void>;
}

/** Bytes of a request before its body: the id of a thread stands in the address, and a file holds ids of any length. */
const maxHeaderSize = 1_048_576;

/**
 * Serves the page and the data of one database to one browser.
 *
 * @throws InspectorError for a weak token, and if it cannot listen on that host and port.
 */
export async function startInspector({
  saver,
  canAct = false,
  port = 0,
  host = "127.0.0.1",
  window,
  token,
}: InspectorOptions): Promise<Inspector> {
  if (token !== undefined && !/^[\w-]{16,}$/u.test(token))
    throw new InspectorError(
      "The token is too easy to guess, or does not fit into a url. Pass at least 16 letters, digits, - and _.",
    );
  if (host === "")
    throw new InspectorError("The host is empty, which is every address. Pass 0.0.0.0 for that.");
  const server = createServer({ maxHeaderSize });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message.replace(/\.$/u, "") : String(cause);
    throw new InspectorError(`Cannot listen on ${host}, port ${port}: ${reason}. Pass another port or host.`);
  });
  const { port: actual } = server.address() as AddressInfo;
  const guard = new Guard(host, actual, token);
  const context = { guard, page: readPage(), readers: new ThreadReaders(saver), canAct, window };
  server.on("request", (request, response) => void answer(context, request, response));
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return {
    url: `http://${name.includes(":") ? `[${name}]` : name}:${actual}/#token=${guard.token}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface ServerContext {
  readonly guard: Guard;
  readonly page: PageFile;
  readonly readers: ThreadReaders;
  readonly canAct: boolean;
  readonly window: number | undefined;
}

async function answer(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Not parsed as a URL: that throws for some targets, and nothing here may throw.
  const [pathname = "", query = ""] = (request.url ?? "/").split("?", 2);
  const searchParams = new URLSearchParams(query);
  const isData = pathname.startsWith("/api/");
  const name = isData ? pathname.slice("/api/".length) : "";
  const isAct = context.canAct && Object.hasOwn(actRoutes, name);
  setHeaders(response, context.page);
  const refusal = context.guard.refusal(request, isAct ? "act" : isData ? "data" : "page");
  if (refusal) {
    send(response, refusal.status, { error: refusal.message });
    return;
  }
  if (pathname === "/") {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(context.page.html);
    return;
  }
  try {
    if (name === "timeline") await sendTimeline(context, searchParams, response);
    else if (isAct) send(response, 200, await act(context, name, request));
    else if (name === "can-act") send(response, 200, context.canAct);
    else if (Object.hasOwn(routes, name))
      send(response, 200, await routes[name]?.(context.readers, searchParams));
    else send(response, 404, { error: `There is nothing at ${pathname}.` });
  } catch (error) {
    send(response, isOfClient(error) ? 400 : 500, { error: messageOf(error) });
  }
}

/** True for an error that names what is wrong with the request: the storage itself refuses ids that it cannot hold. */
function isOfClient(error: unknown): boolean {
  if (error instanceof InspectorError) return true;
  return CheckpointError.isInstance(error) && error.code === "bad-option";
}

async function act({ readers, window }: ServerContext, name: string, request: IncomingMessage) {
  return actRoutes[name]?.({ saver: readers.saver, window }, await readForkRequest(request));
}

/** One line of JSON for each part; the connection stays open for what the agent adds. */
async function sendTimeline(
  { readers, window }: ServerContext,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const reader = await threadIn(readers, query);
  const stop = new AbortController();
  response.on("close", () => stop.abort());
  const options = { window, isNewest: !query.has("branch"), signal: stop.signal };
  response.setHeader("content-type", "application/x-ndjson; charset=utf-8");
  try {
    for await (const line of timelineLines(reader, options)) {
      response.write(`${JSON.stringify(line)}\n`);
    }
  } catch (error) {
    response.write(`${JSON.stringify({ type: "error", message: messageOf(error) })}\n`);
  }
  response.end();
}

function setHeaders(response: ServerResponse, { policy }: PageFile): void {
  response.setHeader("content-security-policy", policy);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("cache-control", "no-store");
}

function send(response: ServerResponse, status: number, data: unknown): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.statusCode = status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(JSON.stringify(data));
}

/** Our errors say what to do. For others, shows only the message. */
function messageOf(error: unknown): string {
  const isOurs =
    error instanceof InspectorError ||
    [CheckpointError, ContextError, FileError].some((kind) => kind.isInstance(error));
  if (error instanceof Error) return isOurs ? error.message : `${error.name}: ${error.message}`;
  return String(error);
}
