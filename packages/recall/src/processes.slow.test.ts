import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { RecallIndex } from "./recall-index.js";
import { lasting } from "./testing/engines.js";
import { fileOf } from "./testing/fill.js";

const script = fileURLToPath(new URL("testing/index-process.ts", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const names = ["ada", "ben", "cleo", "dan"];
const files = 40;

/** Runs a script in a process and returns its stderr when it fails, else "". */
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
  "loses nothing when several processes create, fill and search one index in $name",
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
);

it("loads the native module in a process without a test runner", async () => {
  const script = fileURLToPath(new URL("testing/graph-process.ts", import.meta.url));
  expect(await run(script)).toBe("");
});

it("names the way out when no server answers", async () => {
  const started = performance.now();
  await expect(RecallIndex.fromPostgres("postgresql://nobody@127.0.0.1:1/none")).rejects.toMatchObject({
    code: "busy",
    message: expect.stringContaining("Check the server"),
  });
  expect(performance.now() - started).toBeLessThan(30_000);
});
