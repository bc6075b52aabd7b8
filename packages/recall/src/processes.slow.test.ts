import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { lasting } from "./testing/engines.js";
import { fileOf } from "./testing/fill.js";

const script = fileURLToPath(new URL("testing/index-process.ts", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const names = ["ada", "ben", "cleo", "dan"];
const files = 40;

/** Returns what a process of its own wrote to stderr before it failed; "" when it did not. */
function run(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ["--import", "tsx", ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (data: Buffer) => (said += data.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve(code === 0 ? "" : said)));
}

it.each(lasting)(
  "loses nothing when several processes make one index in $name, add to it and search it at once",
  async (engine) => {
    const place = await engine.newPlace();
    const work = names.map((name) => run(script, JSON.stringify({ place, name, files })));
    expect(await Promise.all(work)).toEqual(names.map(() => ""));
    const index = await engine.open(place);
    for (const name of [...names, "all"]) {
      for (let at = 0; at < files; at++) {
        const hits = await index.search(`zebra${name}x${at}`, { thread: "shared", limit: 20 });
        const { path: own, text } = fileOf("shared", name, at);
        const holding = hits.filter((hit) => hit.text.includes(text.slice(text.lastIndexOf("\n") + 1)));
        expect(new Set(holding.map((hit) => hit.path))).toContain(own);
        expect(holding.filter((hit) => hit.path === own)).toHaveLength(1);
      }
    }
    for (const name of names) {
      const own = Array.from({ length: files }, (_, at) => fileOf(name, name, at).path);
      expect(await index.missing(name, own)).toEqual([]);
      expect(await index.search(`zebra${name}x0`, { thread: name, limit: 1 })).toHaveLength(1);
    }
    await index.close();
  },
  120_000,
);

it("uses the native module in a process without a test runner", async () => {
  const script = fileURLToPath(new URL("testing/graph-process.ts", import.meta.url));
  expect(await run(script)).toBe("");
}, 60_000);
