import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { madeStory, writeClaudeCode, writePi } from "@palimpsest/sessions/testing";
import { compactionNode, type ContextOptions } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, it } from "vitest";
import { json, run } from "../../testing/run.js";
import { newPath, removePaths } from "../../testing/written-storage.js";
import type { ReplayedSession } from "./replay-session.js";
import { tunedText } from "./replay-text.js";
import type { Tuned } from "./tune.js";

afterAll(removePaths);

const directory = dirname(newPath());
let count = 0;

function written(text: string): string {
  const file = join(directory, `session-${count++}.jsonl`);
  writeFileSync(file, text);
  return file;
}

async function replayOf(file: string, ...options: readonly string[]): Promise<ReplayedSession> {
  const [session] = await json<ReplayedSession[]>("replay", file, ...options);
  if (session === undefined) throw new Error("There is no replay.");
  return session;
}

const long = () => written(writeClaudeCode(madeStory({ reads: 30, lines: 80 })));

describe("a replay", () => {
  it("shows what happened first, then each policy, with a prompt for each answer", async () => {
    const { rows } = await replayOf(long(), "--policy", "default,early", "--window", "20000");
    expect(rows.map(({ policy }) => policy)).toEqual(["as it happened", "default", "early"]);
    expect(rows.map(({ prompts }) => prompts)).toEqual([33, 33, 33]);
    expect(rows.every(({ cached, sent }) => cached > 0 && cached < sent)).toBe(true);
  });

  it("counts prompts over the window as they happened, and none under a policy that keeps to it", async () => {
    const { rows } = await replayOf(long(), "--window", "12000");
    expect(rows[0]?.over).toBeGreaterThan(0);
    expect(rows[1]?.over).toBe(0);
    expect(rows[1]?.largest).toBeLessThanOrEqual(12_000);
  });

  it("says what calls needed and had: the file that is read again after the compaction was not there", async () => {
    const { rows } = await replayOf(written(writePi(madeStory({ lines: 40 }))));
    expect(rows[0]?.needed).toBeGreaterThan(0);
    expect(rows[1]?.had).toBe(rows[1]?.needed);
  });

  it("bills a model at its prices, and says if there are none", async () => {
    const prices = join(directory, "prices.json");
    writeFileSync(prices, '{"made-model-1":{"input":300,"cachedInput":30,"cacheWrite":375,"output":1500}}');
    const file = long();
    const relative = await replayOf(file);
    const priced = await replayOf(file, "--prices", prices);
    expect([relative.isPriced, priced.isPriced]).toEqual([false, true]);
    expect((priced.rows[1]?.bill ?? 0) / (relative.rows[1]?.bill ?? 1)).toBeCloseTo(300, 0);
  });

  it("writes a page that loads nothing, and names each value where there is no room for columns", async () => {
    const page = join(directory, "replay.html");
    expect((await run("replay", long(), "--html", page)).code).toBe(0);
    const html = readFileSync(page, "utf8");
    expect(html).toContain("as it happened");
    expect(html).not.toContain("<script");
    expect(html).toMatch(
      /<td class="figure" data-name="prompts">33<\/td><td class="figure" data-name="largest">[\d,]+<\/td>/,
    );
  });

  it("of several sessions begins with what all of them come to", async () => {
    const page = join(directory, "several.html");
    const { out } = await run("replay", long(), long(), "--html", page);
    expect(out).toMatch(/^All 2 sessions\npolicy.*\nas it happened +66 /);
    expect(readFileSync(page, "utf8")).toContain("<h2>All 2 sessions");
  });

  it("refuses an unknown policy, and names those there are", async () => {
    const { code, err } = await run("replay", long(), "--policy", "best");
    expect(code).toBe(2);
    expect(err).toContain('There is no policy "best". Pass some of default, offload, early, predictive.');
  });
});

describe("a search of the settings", () => {
  it("prints options that a node takes as they are", () => {
    const one = { mean: 0.9, low: 0.8, high: 0.95 };
    const settings = { trigger: { fraction: 0.7 }, keep: { fraction: 0.2 } };
    const text = tunedText({ sessions: [5, 5], settings, window: 128_000, bill: one, had: one });
    const pasted = text.slice(text.indexOf("compactionNode("));
    const given = runInNewContext(pasted, {
      compactionNode: (options: unknown) => options,
      saver: {},
    }) as ContextOptions;
    expect(given).toEqual({ files: undefined, contextWindow: 128_000, ...settings });
    expect(() => compactionNode({ ...given, files: VirtualFilesystem.inMemory() })).not.toThrow();
  });

  it("recommends nothing from a few sessions", async () => {
    const result = await json<Tuned>("replay", long(), long(), "--tune");
    expect(result.refusal).toContain("too few sessions");
  });

  it("recommends settings that hold on the other half, or says why it recommends none", async () => {
    const folder = join(directory, "many");
    mkdirSync(folder);
    for (let at = 0; at < 20; at++)
      writeFileSync(
        join(folder, `one-${at}.jsonl`),
        writeClaudeCode(madeStory({ reads: 12 + at, lines: 60, isCompacted: false })),
      );
    const { out } = await run("replay", folder, "--tune", "--window", "12000");
    expect(out).toMatch(/sessions to choose on, \d+ others to report on/);
    expect(out).toMatch(/compactionNode\(\{|Nothing is recommended\. /);
  });
});
