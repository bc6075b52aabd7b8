import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  type NodeIncomingMessageLike,
} from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { CliError } from "../cli-error.js";

export interface HttpOptions {
  /** @default any free port */
  readonly port?: number | undefined;
  /** What a client has to send as `Authorization: Bearer TOKEN`. @default a random one */
  readonly token?: string | undefined;
}

export interface HttpService {
  readonly url: string;
  readonly token: string;
  readonly close: () => Promise<void>;
}

/** Serves over streamable HTTP on the loopback address. Requests without the token, or from another site, are refused. */
export async function serveHttp(create: () => McpServer, options: HttpOptions): Promise<HttpService> {
  const token = options.token ?? randomBytes(24).toString("base64url");
  const handler = createMcpHandler(create);
  const handle = toNodeHandler(handler);
  const [isLocalHost, isLocalOrigin] = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer((request, response) => {
    if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return;
    if (!hasToken(request, token)) {
      response.writeHead(401, { "www-authenticate": "Bearer", "content-type": "text/plain" });
      response.end("Send the token that `palimpsest mcp` printed: Authorization: Bearer TOKEN\n");
    } else if (request.url?.split("?", 1)[0] === "/mcp")
      void handle(request as NodeIncomingMessageLike, response);
    else response.writeHead(404).end("The address of the server ends in /mcp\n");
  });
  await listening(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, token, close: async () => closed(server) };
}

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function listening(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.$/u, "") : String(cause);
    throw new CliError(`Cannot listen on 127.0.0.1, port ${port}: ${reason}. Pass another port.`, { cause });
  }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
