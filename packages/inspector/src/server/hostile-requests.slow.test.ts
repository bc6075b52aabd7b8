import { VfsSaver } from "@palimpsest/checkpoint";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeThread } from "../testing/written-thread.js";
import { actRoutes } from "./act-routes.js";
import { routes } from "./routes.js";
import { startInspector, type Inspector } from "./start-inspector.js";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-requests-"));
let saver: VfsSaver;
let inspector: Inspector;

beforeAll(async () => {
  saver = VfsSaver.fromPath(join(folder, "agent.db"));
  await writeThread(saver, "one");
  inspector = await startInspector({ saver, window: 4_000, canAct: true });
});
afterAll(async () => {
  await inspector.close();
  await saver.close();
  rmSync(folder, { recursive: true, force: true });
});

const hostile = [undefined, "", "x", "-1", "1e9", "a\0b", "\ud800", "../.."];
const sound: Readonly<Record<string, string>> = {
  thread: "one",
  at: "2",
  from: "0",
  to: "2",
  place: "0",
  words: "go",
  fold: "x",
  path: "/x",
  message: "x",
  other: "one",
};
const names = [...Object.keys(sound), "namespace", "branch", "call", "window"];

/** Asks for a path, or sends a body to it. Returns the status, and what an error of the server says. */
async function send(path: string, body?: string): Promise<string> {
  const { origin, hash } = new URL(inspector.url);
  const token = { "x-palimpsest-token": hash.replace("#token=", "") };
  const headers = { ...token, origin, "content-type": "application/json" };
  const init = body === undefined ? { headers: token } : { method: "POST", headers, body };
  const response = await fetch(`${origin}/api/${path}`, init);
  const text = await response.text();
  return `${response.status} ${response.status < 500 ? "" : text}`.trim();
}

describe("what a client gets wrong is never an error of the server", () => {
  it.each(Object.keys(routes))("%s", async (route) => {
    const answers: string[] = [];
    for (const name of names)
      for (const value of hostile) {
        const pairs = Object.entries<string | undefined>({ ...sound, [name]: value });
        const query = pairs.flatMap(([key, text]) => (text === undefined ? [] : [`${key}=${encoded(text)}`]));
        const answer = await send(`${route}?${query.join("&")}`);
        if (answer.startsWith("5")) answers.push(`${query.join("&")}: ${answer}`);
      }
    expect(answers).toEqual([]);
  });

  it.each(Object.keys(actRoutes))("%s", async (route) => {
    const answers: string[] = [];
    for (const action of ["resume", "unfold", "compact", "pin", "constructor"])
      for (const name of ["thread", "at", "fold", "message"])
        for (const value of [...hostile, 7, null, {}]) {
          const request = { thread: "one", at: "2", action, fold: "x", message: "x", [name]: value };
          const answer = await send(route, JSON.stringify(request));
          if (answer.startsWith("5")) answers.push(`${JSON.stringify(request)}: ${answer}`);
        }
    expect(answers).toEqual([]);
  });
});

/** A lone surrogate has no form in a URL: its bytes are no UTF-8. */
function encoded(text: string): string {
  return text === "\ud800" ? "%ED%A0%80" : encodeURIComponent(text);
}
