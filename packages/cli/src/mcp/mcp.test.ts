import { copyFileSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { VfsSaver } from "@palimpsest/checkpoint";
import { estimateTextTokens } from "@palimpsest/context/internal";
import { lostRule, madeStory, needle, writeClaudeCode, writePi } from "@palimpsest/sessions/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json } from "../testing/run.js";
import { damageThread, newPath, removePaths } from "../testing/written-storage.js";
import { History, type Scope } from "./history.js";
import { historyServer } from "./mcp-server.js";
import { pageOf, pageTokens } from "./pages.js";
import { serveHttp } from "./serve-http.js";

const storage = newPath();
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  removePaths();
});
beforeAll(async () => {
  const directory = dirname(storage);
  writeFileSync(join(directory, "acme-1.jsonl"), writeClaudeCode(madeStory({ reads: 8, lines: 60 })));
  writeFileSync(join(directory, "other-1.jsonl"), writePi(madeStory({ reads: 2 })));
  await json("import", join(directory, "acme-1.jsonl"), join(directory, "other-1.jsonl"), storage);
});

/** Opens the storage for a client of the SDK, over HTTP. */
async function connected(scope: Scope = {}, path = storage) {
  const saver = VfsSaver.fromPath(path, { readOnly: true });
  const history = new History(saver, scope);
  const service = await serveHttp(() => historyServer(history, "0"), { token: "token-of-the-test" });
  const client = new Client({ name: "test", version: "0" });
  const headers = { authorization: `Bearer ${service.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit: { headers } }));
  closing.push(
    async () => saver.close(),
    async () => history.close(),
    service.close,
    async () => client.close(),
  );
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
    return content.map(({ text }) => text).join("\n");
  };
  return { client, call, service };
}

describe("the server of a storage", () => {
  it("offers four tools, all of them read-only", async () => {
    const { client } = await connected();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search_history",
      "read_original",
      "what_was_lost",
      "unfold",
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  });

  it("finds a message that was compacted away, and reads it whole", async () => {
    const { call } = await connected();
    const hits = await call("search_history", { query: needle, thread: "acme-1" });
    expect(hits.split("\n\n")[0]).toContain("compacted away");
    const message = Number(/message (\d+)/.exec(hits)?.[1]);
    expect(await call("read_original", { message, thread: "acme-1" })).toContain(needle);
  });

  it("searches all threads, and names the thread of each hit", async () => {
    const { call } = await connected();
    const hits = await call("search_history", { query: needle });
    expect(hits).toContain('thread "acme-1"');
    expect(hits).toContain('thread "other-1"');
  });

  it("searches past a damaged thread, names it, and forgets a thread that is deleted", async () => {
    const file = newPath();
    copyFileSync(storage, file);
    const history = new History(VfsSaver.fromPath(file, { readOnly: true }), {});
    expect((await history.search(needle, { limit: 20 })).passages.map(({ thread }) => thread)).toContain(
      "other-1",
    );
    damageThread(file, "other-1");
    const { passages, unread } = await history.search(needle, { limit: 20 });
    expect(unread).toEqual(["other-1"]);
    expect(new Set(passages.map(({ thread }) => thread))).toEqual(new Set(["acme-1"]));
    const { call } = await connected({}, file);
    expect(await call("search_history", { query: needle })).toMatch(
      /^Not searched, because they cannot be read: "other-1"\.\n\n1\. thread "acme-1"/u,
    );
    const writer = VfsSaver.fromPath(file);
    await writer.deleteThread("acme-1");
    await writer.close();
    expect(await history.search(needle, { limit: 20 })).toEqual({ passages: [], unread: ["other-1"] });
    await history.close();
  });

  it("refuses a query that would take long", async () => {
    const { call } = await connected();
    expect(await call("search_history", { query: "word ".repeat(1e5) })).toContain("<=10000 characters");
  });

  it("says what was lost, with the rule that no summary states", async () => {
    const { call } = await connected();
    expect(await call("what_was_lost", { thread: "acme-1" })).toContain(lostRule);
  });

  it("unfolds a compaction: the list names the fold, and its messages come in pages", async () => {
    const { call } = await connected();
    const fold = /^(summary-\S+):/m.exec(await call("unfold", { thread: "acme-1" }))?.[1];
    const first = await call("unfold", { thread: "acme-1", fold });
    expect(first).toMatch(/\[Page 1 of \d+\. Pass page: 2 for the next one\.\]$/);
    const pages = Number(/Page 1 of (\d+)/.exec(first)?.[1]);
    const all = await Promise.all(
      Array.from({ length: pages }, async (_, at) =>
        call("unfold", { thread: "acme-1", fold, page: at + 1 }),
      ),
    );
    expect(all.join("\n")).toContain(needle);
    expect(Math.max(...all.map((text) => estimateTextTokens(text)))).toBeLessThanOrEqual(pageTokens);
  });

  it("answers a wrong thread, message, fold or page with the way out, and never with an error of its own", async () => {
    const { call } = await connected();
    expect(await call("read_original", { message: 1 })).toContain("Pass the id of one as thread");
    expect(await call("read_original", { message: 1, thread: "nobody" })).toContain(
      'There is no thread "nobody"',
    );
    expect(await call("read_original", { message: 9_999, thread: "acme-1" })).toContain("counted from 1");
    expect(await call("unfold", { fold: "no", thread: "acme-1" })).toContain("It has:");
    expect(await call("read_original", { message: 1, thread: "acme-1", page: 99 })).toContain(
      "Pass a page from 1 to",
    );
  });

  it("shows a tenant its own threads only", async () => {
    const { call } = await connected({ prefix: "acme-" });
    expect(await call("search_history", { query: needle })).not.toContain("other-1");
    expect(await call("read_original", { message: 1, thread: "other-1" })).toContain(
      'There is no thread "other-1"',
    );
    const one = await connected({ thread: "other-1" });
    expect(await one.call("search_history", { query: needle })).not.toContain("acme-1");
  });

  it("refuses a request without its token, and one from another site", async () => {
    const { service } = await connected();
    const post = { method: "POST", body: "{}" };
    expect((await fetch(service.url, post)).status).toBe(401);
    expect((await fetch(service.url, { ...post, headers: { authorization: "Bearer wrong" } })).status).toBe(
      401,
    );
    const headers = { authorization: `Bearer ${service.token}`, origin: "https://example.org" };
    expect((await fetch(service.url, { ...post, headers })).status).toBe(403);
  });

  it("answers an address that is no url, and goes on", async () => {
    const { call, service } = await connected();
    const headers = { authorization: `Bearer ${service.token}` };
    const { port } = new URL(service.url);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port, path: "//", headers }, resolve).on("error", reject).end();
    });
    response.resume();
    expect(response.statusCode).toBe(404);
    expect(await call("search_history", { query: needle })).toContain("acme-1");
  });
});

it("a page holds at most 600 tokens, of long lines too, and the pages together hold the text", () => {
  const text = [
    ...Array.from({ length: 200 }, (_, at) => `line ${at} 語${"x".repeat(at)}`),
    "😀".repeat(5_000),
  ].join("\n");
  const count = Number(/of (\d+)/.exec(pageOf(text, 1).split("\n").at(-1) ?? "")?.[1]);
  const pages = Array.from({ length: count }, (_, at) => pageOf(text, at + 1));
  expect(Math.max(...pages.map((page) => estimateTextTokens(page)))).toBeLessThanOrEqual(pageTokens);
  const joined = pages.map((page) => page.replace(/\n\[Page \d+ of \d+\.[^\]]*\]$/, "")).join("");
  expect(joined.replaceAll("\n", "")).toBe(text.replaceAll("\n", ""));
});

it("serves a client of the SDK on standard input and output, in a process of its own", async () => {
  const command = [join(import.meta.dirname, "../../dist/main.js"), "mcp", storage, "--thread", "acme-1"];
  const transport = new StdioClientTransport({ command: process.execPath, args: command, stderr: "ignore" });
  const client = new Client({ name: "test", version: "0" });
  await client.connect(transport);
  const { content } = (await client.callTool({ name: "search_history", arguments: { query: needle } })) as {
    content: { text: string }[];
  };
  await client.close();
  expect(content[0]?.text).toContain(needle);
});
