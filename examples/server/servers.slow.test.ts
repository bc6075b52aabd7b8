import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coerceMessageLikeToMessage, type BaseMessage } from "@langchain/core/messages";
import { VfsSaver } from "@palimpsest/checkpoint";
import { readThread } from "@palimpsest/langgraph/threads";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { afterAll, describe, expect, it } from "vitest";
import { question } from "../hosts/host-run.js";
import { embeddedServer } from "./embedded-server.js";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** What a client of a LangGraph server does, over HTTP. */
function clientOf(send: Send) {
  async function text(method: string, path: string, body?: unknown): Promise<string> {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await send(path, { method, headers, ...sent });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return answer;
  }
  const json = async <T>(...request: Parameters<typeof text>) => JSON.parse(await text(...request)) as T;
  return {
    create: async () => (await json<{ thread_id: string }>("POST", "/threads", {})).thread_id,
    copy: async (thread: string) =>
      (await json<{ thread_id: string }>("POST", `/threads/${thread}/copy`, {})).thread_id,
    delete: async (thread: string) => text("DELETE", `/threads/${thread}`),
    run: async (thread: string) =>
      text("POST", `/threads/${thread}/runs/stream`, {
        assistant_id: "agent",
        stream_mode: ["updates"],
        input: { messages: [{ type: "human", content: question.text }] },
        config: { recursion_limit: 300 },
      }),
    async messages(thread: string): Promise<BaseMessage[]> {
      const { values } = await json<{ values: { messages?: never[] } }>("GET", `/threads/${thread}/state`);
      return (values.messages ?? []).map((message) => coerceMessageLikeToMessage(message));
    },
  };
}

type Client = ReturnType<typeof clientOf>;

/** The different logs among the results of a thread as it happened. */
async function logsOf(client: Client, thread: string, files: VirtualFilesystem): Promise<number> {
  const messages = await client.messages(thread);
  const graph = { getState: async () => ({ values: { messages } }) };
  const whole = await readThread(graph, { configurable: { thread_id: thread } }, { files });
  return new Set(whole.filter(({ name }) => name === "read_log").map(({ text }) => text.slice(0, 7))).size;
}

async function filesOf(files: VirtualFilesystem, thread: string): Promise<number> {
  let count = 0;
  for await (const _ of files.archive(thread).list()) count++;
  return count;
}

/** Runs a thread, copies it, deletes it, and runs the copy. */
async function copyAndDelete(client: Client, files: VirtualFilesystem) {
  const thread = await client.create();
  await client.run(thread);
  const kept = await client.messages(thread);
  const first = {
    answer: answerOf(kept),
    folded: kept.length < 50,
    logs: await logsOf(client, thread, files),
  };
  const copy = await client.copy(thread);
  await client.delete(thread);
  const deleted = await filesOf(files, thread);
  const copied = await logsOf(client, copy, files);
  await client.run(copy);
  const answer = answerOf(await client.messages(copy));
  return { first, deleted, copied, copy: { answer, logs: await logsOf(client, copy, files) } };
}

const answerOf = (messages: readonly BaseMessage[]) => /E-\d+/.exec(messages.at(-1)?.text ?? "")?.[0];

const whole = {
  first: { answer: "E-4037", folded: true, logs: 24 },
  deleted: 0,
  copied: 24,
  copy: { answer: "E-4037", logs: 24 },
};

describe("a copy of a thread has its originals, also when the thread and its archive have been deleted", () => {
  it("in a server inside the process", async () => {
    const saver = VfsSaver.inMemory();
    const server = embeddedServer(saver);
    const client = clientOf(async (path, init) => server.request(path, init));
    expect(await copyAndDelete(client, saver.files)).toEqual(whole);
    await saver.close();
  });

  it("in LangGraph's development server", async () => {
    const directory = mkdtempSync(join(tmpdir(), "palimpsest-server-"));
    const { url, stop } = await developmentServer(directory);
    stops.push(stop);
    const client = clientOf(async (path, init) => fetch(url + path, init));
    const files = VirtualFilesystem.fromDirectory(join(directory, "archives"));
    expect(await copyAndDelete(client, files)).toEqual(whole);
  });
});

const stops: (() => void)[] = [];
afterAll(() => stops.forEach((stop) => stop()));

/** Starts the server that `langgraph dev` runs, in a process and a directory of its own. */
async function developmentServer(directory: string) {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", join(import.meta.dirname, "start-dev-server.ts"), directory],
    {
      cwd: import.meta.dirname,
      env: {
        ...process.env,
        LANGSMITH_TRACING: "false",
        ARCHIVE_DIRECTORY: join(directory, "archives"),
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  function stop(): void {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
  return { url: await urlOf(child), stop };
}

/** Goes on reading: a server whose output nobody reads would stop. */
async function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += String(chunk);
      const url = /^listening on (http:\S+)$/m.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once("exit", () => reject(new Error(`The server has ended:\n${text}`)));
  });
}
