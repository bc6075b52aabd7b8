import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VfsSaver } from "@palimpsest/checkpoint";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stepsOf } from "../reading/read-state.js";
import { hostile, needle, writeThread } from "../testing/written-thread.js";
import {
  parts,
  type Difference,
  type MessageView,
  type ModelUsage,
  type PlacesView,
  type SearchView,
  type ThreadView,
  type StepRow,
  type StepView,
  type TextView,
  type TimelineLine,
  type WrittenFork,
} from "../view.js";
import { startInspector, type Inspector } from "./start-inspector.js";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-inspector-"));
const path = join(folder, "agent.db");
let saver: VfsSaver;
let inspector: Inspector;

beforeAll(async () => {
  const writer = VfsSaver.fromPath(path);
  await writeThread(writer, "one");
  await writeThread(writer, "two", 2);
  await writer.close();
  saver = VfsSaver.fromPath(path, { readOnly: true });
  inspector = await startInspector({ saver, window: 4_000 });
});
afterAll(async () => {
  await inspector.close();
  await saver.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request with exactly these headers: `fetch` lets nobody set `Host`. */
async function send(target: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return sendTo(inspector.url, { path: target, method, headers });
}

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

async function sendTo(url: string, { body: sent = "", ...options }: Sent): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, ...options }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => (body += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    request.on("error", reject).end(sent);
  });
}

const token = (): string => new URL(inspector.url).hash.replace("#token=", "");

async function get<T>(name: string, query: Record<string, string | number> = {}): Promise<T> {
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  );
  const { status, body } = await send(`/api/${name}?${search.toString()}`, { "x-palimpsest-token": token() });
  if (status !== 200) throw new Error(`${status} ${body}`);
  return JSON.parse(body) as T;
}

/** Reads the lines of a timeline until one satisfies `isLast`. */
async function timeline(
  url: string,
  thread: string,
  isLast: (line: TimelineLine) => boolean,
): Promise<TimelineLine[]> {
  const stop = new AbortController();
  const { origin, hash } = new URL(url);
  const response = await fetch(`${origin}/api/timeline?thread=${thread}`, {
    headers: { "x-palimpsest-token": hash.replace("#token=", "") },
    signal: stop.signal,
  });
  const lines: TimelineLine[] = [];
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of response.body ?? []) {
    const texts = `${rest}${decoder.decode(part as Uint8Array, { stream: true })}`.split("\n");
    rest = texts.pop() ?? "";
    lines.push(...texts.map((text) => JSON.parse(text) as TimelineLine));
    if (lines.some(isLast)) break;
  }
  stop.abort();
  return lines;
}

async function rowsOf(thread: string): Promise<readonly StepRow[]> {
  const lines = await timeline(inspector.url, thread, ({ type }) => type === "whole");
  return lines
    .flatMap((line) => (line.type === "earlier" ? [line.rows] : []))
    .toReversed()
    .flat();
}

it("reads a thread whose id is as long as a file takes", async () => {
  const own = VfsSaver.fromPath(join(folder, "long.db"));
  const thread = "鷺".repeat(20_000);
  await writeThread(own, thread, 2);
  const shown = await startInspector({ saver: own });
  const headers = { Host: new URL(shown.url).host, "x-palimpsest-token": shown.url.split("=")[1] ?? "" };
  const answer = await sendTo(shown.url, {
    path: `/api/size?thread=${encodeURIComponent(thread)}`,
    method: "GET",
    headers,
  });
  expect(answer).toMatchObject({
    status: 200,
    body: expect.stringMatching(/"checkpoints":[1-9]/u) as string,
  });
  await shown.close();
  await own.close();
});

describe("the guard", () => {
  it("serves the page to everybody on this machine, under a policy that runs only its own script", async () => {
    const { status, headers, body } = await send("/");
    expect(status).toBe(200);
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/u,
    );
    expect(body).not.toMatch(/(?:src|href)="(?!data:)/u);
    expect(body).not.toContain(token());
  });

  it("refuses data without the token, and with another one", async () => {
    expect((await send("/api/threads")).status).toBe(401);
    expect((await send("/api/threads", { "x-palimpsest-token": `${token().slice(0, -1)}!` })).status).toBe(
      401,
    );
    expect((await send("/api/timeline?thread=one", { "x-palimpsest-token": "x" })).body).not.toContain(
      "rows",
    );
  });

  it("refuses a name that was rebound to this address, and another origin, even with the token", async () => {
    const valid = { "x-palimpsest-token": token() };
    const { port, host } = new URL(inspector.url);
    expect((await send("/api/threads", { ...valid, host: `evil.example:${port}` })).status).toBe(403);
    expect((await send("/", { host: "evil.example" })).status).toBe(403);
    expect((await send("/api/threads", { ...valid, origin: "https://evil.example" })).status).toBe(403);
    expect((await send("/api/threads", { ...valid, origin: "null" })).status).toBe(403);
    expect((await send("/api/threads", { ...valid, origin: `http://${host}` })).status).toBe(200);
  });

  it("refuses requests that could change something", async () => {
    const valid = { "x-palimpsest-token": token() };
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      expect((await send("/api/threads", valid, method)).status).toBe(405);
    }
  });

  it("has a new token with each start", async () => {
    const other = await startInspector({ saver });
    expect(new URL(other.url).hash).not.toBe(new URL(inspector.url).hash);
    await other.close();
  });
});

describe("acting", () => {
  const acted = join(folder, "acted.db");
  let writer: VfsSaver;
  let acting: Inspector;
  let at = "";

  beforeAll(async () => {
    writer = VfsSaver.fromPath(acted);
    await writeThread(writer, "one", 3);
    at = (await stepsOf(writer, "one")).at(-1)?.id ?? "";
    acting = await startInspector({ saver: writer, canAct: true });
  });
  afterAll(async () => {
    await acting.close();
    await writer.close();
  });

  /** Asks for a fork as the page does, but for these headers; undefined leaves one out. */
  async function ask(changed: Record<string, string | undefined> = {}, body?: unknown): Promise<Answer> {
    const { origin, hash } = new URL(acting.url);
    const headers = {
      origin,
      "x-palimpsest-token": hash.replace("#token=", ""),
      "content-type": "application/json",
      ...changed,
    };
    const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return sendTo(acting.url, {
      path: "/api/fork",
      method: "POST",
      headers: Object.fromEntries(sent),
      body: JSON.stringify(body ?? { thread: "one", at, action: "resume" }),
    });
  }

  const written = async (): Promise<number> => (await stepsOf(writer, "one")).length;

  it("writes a fork that its own page asks for", async () => {
    const before = await written();
    const { status, body } = await ask();
    expect(status).toBe(200);
    const { checkpoint } = JSON.parse(body) as WrittenFork;
    expect((await stepsOf(writer, "one")).at(-1)).toMatchObject({ id: checkpoint, parentId: at });
    expect(await written()).toBe(before + 1);
  });

  it.each<[string, Record<string, string | undefined>, number]>([
    ["without the token", { "x-palimpsest-token": undefined }, 401],
    ["with another token", { "x-palimpsest-token": "x" }, 401],
    ["from another origin", { origin: "https://evil.example" }, 403],
    ["from a page without an origin", { origin: "null" }, 403],
    ["that says no origin", { origin: undefined }, 403],
    ["to a name that was rebound", { host: "evil.example" }, 403],
    ["of a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["of plain text", { "content-type": "text/plain" }, 415],
  ])("refuses a request %s, and writes nothing", async (_, headers, status) => {
    const before = await written();
    expect((await ask(headers)).status).toBe(status);
    expect(await written()).toBe(before);
  });

  it.each<[string, unknown, string]>([
    ["no object", "fork", "not a JSON object"],
    ["no step", { thread: "one", action: "resume" }, "has no at"],
    [
      "an unknown action",
      { thread: "one", at: "1", action: "delete" },
      "one of resume, unfold, compact and pin",
    ],
    ["no message to pin", { thread: "one", at: "1", action: "pin" }, "has no message"],
    ["too much", { thread: "x".repeat(70_000) }, "longer than 65536 bytes"],
  ])("refuses a request with %s, and says why", async (_, body, message) => {
    const answer = await ask({}, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(message);
  });

  it("is refused unless the host allows it, and the page learns of it", async () => {
    const { origin } = new URL(inspector.url);
    const headers = { origin, "x-palimpsest-token": token(), "content-type": "application/json" };
    const body = JSON.stringify({ thread: "one", at, action: "resume" });
    for (const path of ["/api/fork", "/api/plan"]) {
      expect((await sendTo(inspector.url, { path, method: "POST", headers, body })).status).toBe(405);
    }
    expect(await get("can-act")).toBe(false);
  });

  it("does not answer GET requests", async () => {
    const { hash } = new URL(acting.url);
    const headers = { "x-palimpsest-token": hash.replace("#token=", "") };
    expect((await sendTo(acting.url, { path: "/api/fork", method: "GET", headers })).status).toBe(405);
  });
});

describe("the timeline", () => {
  it("has a row for each checkpoint, with tokens by part, folds, epochs and what the model reported", async () => {
    const rows = await rowsOf("one");
    expect(rows).toHaveLength(48);
    expect(rows.map(({ step }) => step)).toEqual(rows.map((_, index) => index - 1));
    expect(rows.every(({ tokens }) => tokens.length === parts.length)).toBe(true);
    const folding = rows.filter(({ folds }) => folds.some(({ kind }) => kind === "summary"));
    expect(folding.length).toBeGreaterThan(0);
    expect(folding.every(({ isEpoch }) => isEpoch)).toBe(true);
    expect(folding[0]?.folds[0]).toMatchObject({ kind: "summary", reason: "trigger" });
    expect(folding[0]?.tokens[parts.indexOf("summaries")]).toBeGreaterThan(0);
    expect(folding[0]?.folds[0]?.usage).toMatchObject({ model: "scripted-small" });
    const calls = rows.flatMap((row) => row.calls);
    expect(calls).toHaveLength(24);
    expect(calls[0]?.reported).toMatchObject({ model: "scripted", cached: 5, output: 10 });
  });

  it("grows while the agent runs", async () => {
    const live = join(folder, "live.db");
    const writer = VfsSaver.fromPath(live);
    await writeThread(writer, "one", 1);
    const reader = VfsSaver.fromPath(live, { readOnly: true });
    const watching = await startInspector({ saver: reader });
    let writing: Promise<void> | undefined;
    const lines = await timeline(watching.url, "one", (line) => {
      if (line.type === "whole") writing ??= writeThread(writer, "one", 1);
      return line.type === "later";
    });
    await writing;
    const later = lines.find(({ type }) => type === "later");
    expect(later).toMatchObject({
      rows: expect.arrayContaining([expect.objectContaining({ step: 3 })]),
    });
    await watching.close();
    await Promise.all([writer.close(), reader.close()]);
  });
});

describe("a step", () => {
  it("shows what the model was sent, with a seam that opens to the folded messages, and its place in the thread", async () => {
    const rows = await rowsOf("one");
    const at = rows.at(-1)?.id ?? "";
    const { context } = await get<StepView>("step", { thread: "one", at });
    const seam = context.find(({ fold }) => fold?.kind === "summary");
    const opened = await get<MessageView[]>("open", { thread: "one", at, fold: seam?.fold?.id ?? "" });
    expect(opened).toHaveLength(seam?.fold?.messages ?? 0);
    const { places, happened } = await get<PlacesView>("places", { thread: "one", at });
    expect(places).toHaveLength(context.length);
    expect(happened).toBe(48);
    expect(places.at(-1)).toBe(47);
  });

  it("shows the thread as it happened, whatever was folded, and whole texts on demand", async () => {
    const messages = await get<MessageView[]>("messages", { thread: "one", from: 0, to: 4 });
    expect(messages.map(({ type, place }) => [type, place])).toEqual([
      ["human", 0],
      ["ai", 1],
      ["tool", 2],
      ["ai", 3],
    ]);
    expect(messages[2]?.text).toHaveLength(4_000);
    const { text, characters } = await get<TextView>("text", { thread: "one", place: 2 });
    expect(text).toHaveLength(characters);
    expect(text).toBe(`${needle}\n`.repeat(200));
  });

  it("knows the steps at which a message was in the context", async () => {
    const { hits } = await get<SearchView>("search", { words: "HERON token", thread: "one" });
    const [hit] = hits;
    expect(hit).toMatchObject({ thread: "one", place: 2, type: "tool", isInContext: false });
    const rows = await rowsOf("one");
    const [span, ...further] = await get<[number, number][]>("sight", {
      thread: "one",
      message: hit?.id ?? "",
    });
    expect(further).toEqual([]);
    const [from, to] = span ?? [0, 0];
    const holds = async (at: number): Promise<boolean> => {
      const { context } = await get<StepView>("step", { thread: "one", at: rows[at]?.id ?? "" });
      return context.some(({ id, fold }) => id === hit?.id && fold === null);
    };
    expect(await Promise.all([from - 1, from, to, to + 1].map(holds))).toEqual([false, true, true, false]);
  });

  it("shows the files of the archive, and what changed between two steps", async () => {
    const rows = await rowsOf("one");
    const at = rows.at(-1)?.id ?? "";
    const { files } = await get<StepView>("step", { thread: "one", at });
    const history = files.find(({ path: name }) => name.startsWith("/context/history/"));
    const { text } = await get<TextView>("file", { thread: "one", at, path: history?.path ?? "" });
    expect(text.length).toBeGreaterThan(100);
    const changes = await get<Difference[]>("diff", { thread: "one", from: rows[3]?.id ?? "", to: at });
    expect(new Set(changes.map(({ change }) => change))).toEqual(new Set(["added", "removed"]));
  });

  it("adds up the bill of the whole thread", async () => {
    const [usage] = await get<ModelUsage[]>("bill", { thread: "one" });
    expect(usage).toMatchObject({ model: "scripted", calls: 12, cached: 60, cacheWrites: 0, output: 120 });
    expect(usage?.input).toBeGreaterThan(12_000);
  });
});

it("finds nothing without words, which has a thread read before it is searched", async () => {
  expect(await get<SearchView>("search", { words: "", thread: "one" })).toEqual({ hits: [], unread: [] });
});

it("searches all threads without being told which", async () => {
  const { hits } = await get<SearchView>("search", { words: "heron" });
  expect(hits.map(({ thread, isInContext }) => [thread, isInContext])).toEqual(
    expect.arrayContaining([
      ["one", false],
      ["two", true],
    ]),
  );
});

it("searches past a thread without a checkpoint, because its first one is not written yet", async () => {
  const writer = VfsSaver.fromPath(join(folder, "early.db"));
  const early = { configurable: { thread_id: "early", checkpoint_ns: "", checkpoint_id: "1" } };
  await writer.putWrites(early, [["messages", "an answer"]], "task");
  await writeThread(writer, "one");
  const other = await startInspector({ saver: writer });
  const headers = { "x-palimpsest-token": new URL(other.url).hash.replace("#token=", "") };
  const answer = (query: string) =>
    sendTo(other.url, { path: `/api/search?${query}`, method: "GET", headers });
  const { status, body } = await answer("words=heron");
  expect([status, body]).toEqual([200, expect.stringContaining('"thread":"one"')]);
  expect((await answer("words=heron&thread=early")).status).not.toBe(200);
  await other.close();
  await writer.close();
});

it("lists and searches past a damaged thread, and names it", async () => {
  const file = join(folder, "damaged.db");
  VfsSaver.backup(path, file);
  const database = new Database(file);
  database
    .prepare(
      "UPDATE checkpoints SET data = zeroblob(9) WHERE space = (SELECT id FROM spaces WHERE thread = 'one')",
    )
    .run();
  database.close();
  const saver = VfsSaver.fromPath(file, { readOnly: true });
  const other = await startInspector({ saver });
  const headers = { "x-palimpsest-token": new URL(other.url).hash.replace("#token=", "") };
  const answer = async (target: string): Promise<unknown> => {
    const { status, body } = await sendTo(other.url, { path: `/api/${target}`, method: "GET", headers });
    expect(status).toBe(200);
    return JSON.parse(body);
  };
  const damage = expect.stringContaining("is damaged or missing") as string;
  const [two, one] = (await answer("threads")) as ThreadView[];
  expect([two?.thread, one]).toEqual(["two", { thread: "one", newest: "", damage }]);
  const { hits, unread } = (await answer("search?words=heron")) as SearchView;
  expect(unread).toEqual([{ thread: "one", damage }]);
  expect(hits.map(({ thread }) => thread)).toContain("two");
  await other.close();
  await saver.close();
});

it("passes hostile text on as JSON, character for character", async () => {
  const [first] = await get<MessageView[]>("messages", { thread: "one", from: 0, to: 1 });
  expect(first?.text).toBe(`Go. ${hostile}`);
  const { headers } = await send("/api/messages?thread=one&from=0&to=1", { "x-palimpsest-token": token() });
  expect(headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
});

it.each([
  ["a thread that is not there", "step?thread=three&at=1", 'There is no thread \\"three\\"'],
  ["a request without a thread", "bill", "The request has no thread"],
  ["a thread that no storage can name", "lanes?thread=a%00b", "which has NUL. Leave it out"],
  ["a number that is none", "messages?thread=one&from=x&to=1", "from is x. Pass a whole number"],
  ["a checkpoint that is not there", "step?thread=one&at=1-2", "The thread has no checkpoint 1-2"],
])("says what is wrong with %s", async (_, target, message) => {
  const { status, body } = await send(`/api/${target}`, { "x-palimpsest-token": token() });
  expect(status).toBe(400);
  expect(body).toContain(message);
});

it("answers 404 for what it does not have", async () => {
  const valid = { "x-palimpsest-token": token() };
  for (const target of ["/api/secrets", "/api/constructor", "/etc/passwd", "/api/../../etc/passwd"]) {
    expect((await send(target, valid)).status).toBe(404);
  }
});

it("answers targets that are no URL, and goes on", async () => {
  for (const target of ["//", "/\\", "http://[", "/%", "/api/step?at=%E0%A4%A"]) {
    const { status } = await send(target, { "x-palimpsest-token": token() });
    expect(status).toBeGreaterThanOrEqual(400);
  }
  expect((await send("/")).status).toBe(200);
});

it("changes no byte of the database", async () => {
  const before = readFileSync(path);
  await rowsOf("two");
  await get("search", { words: "heron" });
  expect(readFileSync(path).equals(before)).toBe(true);
});
