import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { VfsSaver } from "@palimpsest/checkpoint";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ThreadReader } from "../reading/thread-reader.js";
import { systemPrompt, writeAudit } from "../testing/written-audit.js";
import { innerNeedle, writeRuns } from "../testing/written-runs.js";
import { hostile, needle, writeThread } from "../testing/written-thread.js";
import type { ReportData } from "../shared/report-data.js";
import { promptIn } from "../shared/prompt.js";
import { buildReport } from "./build-report.js";
import { reportHtml } from "./report-html.js";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-report-"));
let saver: VfsSaver;
let report: ReportData;

beforeAll(async () => {
  saver = VfsSaver.fromPath(join(folder, "agent.db"));
  await writeThread(saver, "older", 2);
  await writeThread(saver, "newer");
  report = await buildReport(saver, { window: 4_000 });
});
afterAll(async () => {
  await saver.close();
  rmSync(folder, { recursive: true, force: true });
});

const messages = (positions: readonly number[]) => positions.map((at) => report.messages[at]);

it("holds the thread that was written to last, or the one that is asked for", async () => {
  expect(report).toMatchObject({ thread: { thread: "newer" }, window: 4_000 });
  expect((await buildReport(saver, { thread: "older" })).thread.thread).toBe("older");
  await expect(buildReport(saver, { thread: "none" })).rejects.toThrow("The storage has no thread none");
});

it("holds what a server answers of every step and every fold", async () => {
  const reader = new ThreadReader(saver, "newer");
  await reader.load();
  expect(report.rows).toEqual(reader.history.rows);
  for (const [index, { context, files, places }] of report.steps.entries()) {
    const { id } = report.rows[index]!;
    const step = await reader.step(id);
    expect(messages(context)).toEqual(step.context);
    expect(files.map((at) => report.files[at])).toEqual(step.files);
    expect(places).toEqual(await reader.places(id));
    for (const { fold } of step.context) {
      if (fold === null) continue;
      expect(messages(report.opened[fold.id] ?? [])).toEqual(await reader.open(id, fold.id));
    }
  }
  const all = await reader.all();
  expect(messages(report.happened)).toEqual(await reader.messages(0, all.length));
  expect(all.map(({ id }) => report.sights[id ?? ""])).toEqual(
    all.map(({ id }) => reader.history.sight(id ?? "")),
  );
});

it("opens to the original of every fold, and holds each text whole", () => {
  const { texts, happened } = report;
  const whole = happened.map((at, place) => texts[place] ?? report.messages[at]?.text ?? "");
  expect(whole.some((text) => text === `${needle}\n`.repeat(200))).toBe(true);
  expect(whole.map(({ length }) => length)).toEqual(messages(happened).map((message) => message?.characters));
  const inside = Object.values(report.opened)
    .flatMap((positions) => messages(positions))
    .flatMap((message) => message?.fold?.id ?? []);
  expect(inside.length).toBeGreaterThan(0);
  expect(Object.keys(report.opened)).toEqual(expect.arrayContaining(inside));
});

it("holds every run of a subgraph, nested ones among them, as a server answers of it", async () => {
  const other = VfsSaver.inMemory();
  await writeRuns(other, "t");
  const seen: (readonly [number, number])[] = [];
  const held = await buildReport(other, { progress: (...step) => seen.push(step) });
  const names = Object.keys(held.runs).map((namespace) => namespace.replace(/:[0-9a-f-]{36}/gu, ""));
  expect(names.toSorted()).toEqual(["inner", "inner", "inner|deepest", "inner|deepest", "steady"]);
  for (const [namespace, run] of Object.entries(held.runs)) {
    const reader = new ThreadReader(other, { threadId: "t", namespace });
    await reader.load();
    expect(run.rows).toEqual(reader.history.rows);
    for (const [index, { context }] of run.steps.entries())
      expect(context.map((at) => held.messages[at])).toEqual(
        (await reader.step(run.rows[index]!.id)).context,
      );
  }
  const [first] = Object.values(held.runs);
  expect(first?.happened.some((at) => held.messages[at]?.text.startsWith(innerNeedle))).toBe(true);
  expect(seen.at(-1)).toEqual([held.size.checkpoints, held.size.checkpoints]);
  await other.close();
});

it("holds each system prompt with its tools once, though it holds no other file", async () => {
  const other = VfsSaver.inMemory();
  await writeAudit(other, "t", 3);
  const { steps, prompts } = await buildReport(other);
  const [[path, text] = ["", ""], ...more] = Object.entries(prompts);
  expect(more).toEqual([]);
  expect(promptIn(text)).toMatchObject({ systemPrompt, tools: [{ name: "fetch" }] });
  expect(steps.at(-1)?.prompt).toEqual({ path, characters: systemPrompt.length, tools: 1 });
  expect(steps[0]?.prompt).toBeNull();
  await other.close();
});

it("is one file in which hostile text is data", () => {
  const html = reportHtml(report);
  expect(html).not.toContain("owned");
  expect(html).toContain('http-equiv="Content-Security-Policy"');
  const [, data = ""] = /<script id="report" type="application\/gzip">([\w+/=]+)<\/script>/u.exec(html) ?? [];
  const held = JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString()) as ReportData;
  expect(held).toEqual(JSON.parse(JSON.stringify(report)));
  expect(held.messages.some(({ text }) => text.includes(hostile))).toBe(true);
});
