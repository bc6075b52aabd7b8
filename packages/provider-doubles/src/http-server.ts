import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as a provider receives it. */
export interface ProviderRequest<Body> {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

/** One answer: a JSON body, or server-sent events in order. */
export type ProviderResponse =
  | { readonly status: number; readonly body: unknown }
  | { readonly events: readonly ServerEvent[] };

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

export interface ProviderServer {
  /** Base address without a path, such as `http://127.0.0.1:4711`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Starts a server on a free loopback port that answers JSON posts. */
export async function providerServer<Body>(
  answer: (request: ProviderRequest<Body>) => ProviderResponse | Promise<ProviderResponse>,
): Promise<ProviderServer> {
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = JSON.parse(await readAll(incoming)) as Body;
      send(response, await answer({ path: incoming.url ?? "/", headers: incoming.headers, body }));
    } catch (error) {
      send(response, { status: 500, body: { error: { type: "api_error", message: String(error) } } });
    }
  }
  const server = createServer((incoming, response) => void serve(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, answer: ProviderResponse): void {
  if ("status" in answer) {
    response
      .writeHead(answer.status, { "content-type": "application/json" })
      .end(JSON.stringify(answer.body));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of answer.events) {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
  response.end();
}
