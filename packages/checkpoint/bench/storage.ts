// What checkpoints cost, side by side. Run it with: npm run bench -- storage [--json] [--quick] [--write] [--only NAME]
// --only measures the savers whose name contains NAME. --write puts the tables into the package's README and the chart beside
// this file.
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../src/testing/postgres-server.js";
import { deepAgentGrowth, deepAgentHugeResult } from "./measure-deep-agent.js";
import { agentCalls, hugeResult, staticFile } from "./measure-runs.js";
import { growth, growthCompacted } from "./measure-growth.js";
import type { Growth } from "./measure-growth.js";
import { resume, saverShare } from "./measure-saver.js";
import { chart } from "./chart.js";
import { runsTable, table } from "./table.js";
import type { Runs } from "./table.js";
import { subjects } from "./subjects.js";
import type { OpenSubject } from "./subjects.js";
import { writeReadme } from "./write-readme.js";

const asJson = process.argv.includes("--json");
const isQuick = process.argv.includes("--quick");
const peerSteps = isQuick ? [100, 200] : [100, 200, 400, 800];
const deltaSteps = isQuick ? [100, 200] : [100, 200, 400];
const manySteps = isQuick ? [100, 200, 400] : [100, 200, 400, 800, 1600, 6400];
/** Without the longest runs, so that the bench takes some minutes. */
const someSteps = manySteps.filter((steps) => steps <= 1600);
/** The random row of a peer shows its growth; a short row of text shows how much it compresses. */
const fewSteps = [100, 200];
const stepsOf: Readonly<Record<string, readonly number[]>> = {
  "VfsSaver, random": manySteps,
  "VfsSaver, text": manySteps,
  "VfsSaver on Postgres, random": someSteps,
  "VfsSaver on Postgres, text": manySteps,
  "MemorySaver, text": fewSteps,
  "SqliteSaver, text": fewSteps,
  "PostgresSaver, text": fewSteps,
};
const deepSteps = isQuick ? [100] : [100, 200];
const resumed = isQuick ? 2000 : 20_000;

const say = (text: string): void => {
  process[asJson ? "stderr" : "stdout"].write(`${text}\n`);
};

const postgres = await startPostgres();
if ("missing" in postgres) say(`Without Postgres: ${postgres.missing}`);
const only = process.argv.includes("--only")
  ? (process.argv[process.argv.indexOf("--only") + 1] ?? "")
  : undefined;
if (only !== undefined && process.argv.includes("--write"))
  throw new Error("--write needs every row of the tables. Leave out --only.");
const all = Object.fromEntries(
  Object.entries(subjects("url" in postgres ? postgres.url : undefined)).filter(([name]) =>
    name.includes(only ?? ""),
  ),
);
const results: { growth?: Row[]; runs?: Runs } = {};

try {
  results.growth = await measureGrowth();
  say(`\n${table(results.growth)}`);
  if (process.argv.includes("--write")) {
    const drawn = results.growth.filter(({ label }) => label.endsWith("random") && !label.includes("delta"));
    writeFileSync(new URL("storage.svg", import.meta.url), chart(drawn));
  }
  results.runs = await measureRuns();
  say(`\n${runsTable(results.runs)}`);
  if (process.argv.includes("--write"))
    writeReadme(
      `${table(results.growth)}\n\n![Bytes and time a step against steps, log-log](bench/storage.svg)\n\n${runsTable(results.runs)}`,
    );
} finally {
  if ("url" in postgres) postgres.stop();
}
say(`\nThis took ${(performance.now() / 60_000).toFixed(1)} minutes.`);
if (asJson) process.stdout.write(`${JSON.stringify(results)}\n`);

interface Row {
  readonly label: string;
  readonly measured: readonly Growth[];
}

async function measureGrowth(): Promise<Row[]> {
  say("## Bytes stored for each byte of content, and ms a step: one 2 KB message a step\n");
  const rows: Row[] = [];
  for (const [name, open] of Object.entries(all)) {
    // The first run warms up the code.
    await growth(open, { steps: 50, kind: "random" });
    for (const variant of [
      { kind: "random", delta: false },
      { kind: "text", delta: false },
      { kind: "random", delta: true },
    ] as const) {
      const label = `${name}, ${variant.delta ? "delta channel, " : ""}${variant.kind}`;
      const counts = variant.delta ? deltaSteps : (stepsOf[label] ?? peerSteps);
      rows.push(await series(label, counts, async (steps) => growth(open, { steps, ...variant })));
    }
  }
  for (const [name, open] of deepAgentSubjects()) {
    const measure = async (steps: number): Promise<Growth> =>
      deepAgentGrowth(open, { steps, kind: "random" });
    rows.push(await series(`deepagents on ${name}, random`, deepSteps, measure));
  }
  if (only !== undefined) return rows;
  rows.push(
    await series("VfsSaver, compacted, archive included", isQuick ? [200] : [400, 1600], growthCompacted),
  );
  return rows;
}

async function series(
  label: string,
  counts: readonly number[],
  measure: (steps: number) => Promise<Growth>,
): Promise<Row> {
  const measured: Growth[] = [];
  for (const count of counts) measured.push(await measure(count));
  const cells = measured.map(
    ({ steps, factor, msPerStep }) => `${steps}: ${factor.toFixed(2)}x ${msPerStep.toFixed(1)} ms`,
  );
  say(`${label.padEnd(42)} ${cells.join("  ")}`);
  return { label, measured };
}

async function measureRuns(): Promise<Runs> {
  const saverShareMs = await bySubject("put and putWrites, ms", Object.entries(all), async (open, name) => {
    const times: Record<number, number> = {};
    for (const count of name === "VfsSaver" ? [100, 5000, 20_000] : [100, 5000])
      times[count] = await saverShare(open, count, count > 1000 && !name.startsWith("Vfs") ? 5 : 200);
    return times;
  });
  const own = Object.entries(all).filter(([name]) => name === "VfsSaver");
  const huge = await bySubject("a tool result of 50 MB", own, async (open) => hugeResult(open));
  const deep = await bySubject(
    "a tool result of 50 MB, deepagents",
    isQuick ? [] : deepAgentSubjects().slice(0, 1),
    async (open) => deepAgentHugeResult(open),
  );
  const deepRuns = Object.entries(deep).map(([name, run]) => [`deepagents on ${name}`, run] as const);
  return {
    saverShareMs,
    resumedMessages: resumed,
    resumeMs: only === undefined ? await measureResume() : {},
    emptyBytes: await bySubject("empty, bytes", Object.entries(all), async (open) => (await open()).finish()),
    agentBytes: await bySubject("four parallel tool calls, bytes", Object.entries(all), async (open) =>
      agentCalls(open),
    ),
    hugeResult: { ...huge, ...Object.fromEntries(deepRuns) },
    staticFileBytesPerStep: await bySubject(
      "a file of 200 KB, bytes a step",
      Object.entries(all),
      async (open) => staticFile(open),
    ),
  };
}

function deepAgentSubjects(): [string, OpenSubject][] {
  return Object.entries(all)
    .filter(([name]) => name === "MemorySaver" || name === "VfsSaver")
    .toReversed();
}

async function measureResume(): Promise<Record<string, number>> {
  const path = join(tmpdir(), `palimpsest-resume-${process.pid}.db`);
  const times: Record<string, number> = {};
  for (const kind of ["random", "text"] as const) {
    times[kind] = await resume(path, { count: resumed, kind });
    for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true });
  }
  say(`resuming ${resumed} messages, ms: ${JSON.stringify(times)}`);
  return times;
}

async function bySubject<T>(
  title: string,
  chosen: readonly (readonly [string, OpenSubject])[],
  measure: (open: OpenSubject, name: string) => Promise<T>,
): Promise<Record<string, T>> {
  const found: Record<string, T> = {};
  for (const [name, open] of chosen) found[name] = await measure(open, name);
  say(`${title}: ${JSON.stringify(found)}`);
  return found;
}
