import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { comparePaths } from "../paths.js";

interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modified: Date;
}

export interface S3ServerOptions {
  /** Keys of one page of a listing. @default 1_000 */
  readonly pageSize?: number;
  /** Names of headers that the server ignores, as some stores do. @default none */
  readonly ignores?: readonly string[];
  /**
   * What goes wrong with a request: an HTTP status without a body, the page of a proxy, or an answer that is lost after the request
   * was carried out. @default nothing
   */
  readonly fault?: (request: IncomingMessage) => number | "page" | "lost" | undefined;
}

export interface S3Server {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a server with the part of the S3 protocol that the driver uses: objects, ranges, conditions, listings in pages.
 * An ETag is the MD5 of the content, and times have whole seconds, as in S3.
 */
export async function s3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const objects = new Map<string, StoredObject>();
  const server = createServer((request, response) => void serve(objects, { request, response, ...options }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

interface Exchange extends S3ServerOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function serve(objects: Map<string, StoredObject>, exchange: Exchange): Promise<void> {
  const { request, response, ignores = [] } = exchange;
  const fault = exchange.fault?.(request);
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://s3");
  const key = decodeURIComponent(pathname.split("/").slice(2).join("/"));
  const body = await bytesOf(request);
  if (typeof fault === "number") return void response.writeHead(fault).end();
  if (fault === "page") return void response.writeHead(200).end("<html><body>Sign in</body></html>");
  const conditions = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !ignores.includes(name)),
  );
  const found = objects.get(key);
  const wanted = conditions["if-match"];
  if (conditions["if-none-match"] === "*" && found) return refuse(response, 412, "PreconditionFailed");
  if (wanted !== undefined && wanted !== found?.etag) return refuse(response, 412, "PreconditionFailed");
  if (request.method === "PUT") {
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    objects.set(key, { bytes: body, etag, modified: new Date(Math.floor(Date.now() / 1_000) * 1_000) });
    return void (fault === "lost" ? request.socket.destroy() : response.writeHead(200, { etag }).end());
  }
  if (request.method === "DELETE") {
    objects.delete(key);
    return void response.writeHead(204).end();
  }
  if (searchParams.has("list-type")) return list(objects, searchParams, exchange);
  if (!found) return refuse(response, 404, request.method === "HEAD" ? "NotFound" : "NoSuchKey");
  get(found, exchange);
}

function get({ bytes, etag, modified }: StoredObject, { request, response, ignores = [] }: Exchange): void {
  const range = ignores.includes("range") ? "" : (request.headers.range ?? "");
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  const start = Number(from ?? 0);
  const end = Math.min(bytes.length, Number(to ?? bytes.length - 1) + 1);
  if (from !== undefined && start >= bytes.length) return refuse(response, 416, "InvalidRange");
  const part = bytes.subarray(start, end);
  const contentRange =
    from === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` };
  const headers = {
    etag,
    "content-length": part.length,
    "last-modified": modified.toUTCString(),
    ...contentRange,
  };
  response.writeHead(from === undefined ? 200 : 206, headers);
  response.end(request.method === "HEAD" ? undefined : part);
}

function list(
  objects: ReadonlyMap<string, StoredObject>,
  search: URLSearchParams,
  { response, pageSize = 1_000 }: Exchange,
): void {
  const [prefix, after] = [search.get("prefix") ?? "", search.get("continuation-token") ?? ""];
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(prefix) && comparePaths(key, after) > 0)
    .sort(comparePaths);
  const page = keys.slice(0, pageSize);
  const contents = page.map((key) => {
    const { bytes, modified } = objects.get(key) as StoredObject;
    return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${modified.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`;
  });
  const next = page.at(-1) ?? "";
  const more =
    keys.length > page.length
      ? `<NextContinuationToken>${escaped(next)}</NextContinuationToken><IsTruncated>true</IsTruncated>`
      : "<IsTruncated>false</IsTruncated>";
  const xml = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}${contents.join("")}</ListBucketResult>`;
  response.writeHead(200, { "content-type": "application/xml" }).end(xml);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { "content-type": "application/xml" })
    .end(
      `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
    );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
