// What checkpoints cost, side by side. Run it with: npm run bench -- storage [--json] [--quick] [--chart]
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../src/testing/postgres-server.js";
import { agentCalls, hugeResult, staticFile } from "./measure-runs.js";
import { growth, growthCompacted } from "./measure-growth.js";
import type { Growth } from "./measure-growth.js";
import { resume, saverShare } from "./measure-saver.js";
import { chart } from "./chart.js";
import { table } from "./table.js";
import { subjects } from "./subjects.js";

const asJson = process.argv.includes("--json");
const isQuick = process.argv.includes("--quick");
const peerSteps = isQuick ? [100, 200] : [100, 200, 400, 800];
const ownSteps = isQuick ? [100, 200, 400] : [100, 200, 400, 800, 1600, 6400];

const say = (text: string): void => {
  process[asJson ? "stderr" : "stdout"].write(`${text}\n`);
};

const postgres = await startPostgres();
if ("missing" in postgres) say(`Without Postgres: ${postgres.missing}`);
const all = subjects("url" in postgres ? postgres.url : undefined);
const ours = all["VfsSaver"];
const results: Record<string, unknown> = {};

try {
  say("## Bytes stored for each byte of content, and ms a step: one 2 KB message a step\n");
  const rows: { label: string; measured: Growth[] }[] = [];
  for (const [name, open] of Object.entries(all)) {
    const own = name.startsWith("VfsSaver");
    for (const variant of [
      { kind: "random", delta: false },
      { kind: "text", delta: false },
      { kind: "random", delta: true },
    ] as const) {
      const label = `${name}, ${variant.delta ? "delta channel, " : ""}${variant.kind}`;
      const steps = own && !name.includes("Postgres") && !variant.delta ? ownSteps : peerSteps;
      const measured = [];
      for (const count of steps) measured.push(await growth(open, { steps: count, ...variant }));
      rows.push({ label, measured });
      const cells = measured.map(
        ({ steps: n, factor, msPerStep }) => `${n}: ${factor.toFixed(2)}x ${msPerStep.toFixed(1)} ms`,
      );
      say(`${label.padEnd(42)} ${cells.join("  ")}`);
    }
  }
  const compacted = [];
  for (const steps of isQuick ? [200] : [400, 800, 1600]) compacted.push(await growthCompacted(steps));
  rows.push({ label: "VfsSaver, compacted, archive included", measured: compacted });
  results["growth"] = rows;
  say(`\n${table(rows)}`);

  if (process.argv.includes("--chart")) {
    const drawn = rows.filter(({ label }) => label.includes("random") && !label.includes("compacted"));
    writeFileSync(new URL("storage.svg", import.meta.url), chart(drawn));
  }

  const share: Record<string, Record<number, number>> = {};
  for (const [name, open] of Object.entries(all)) {
    const counts = name === "VfsSaver" ? [100, 5000, 20_000] : [100, 5000];
    const times: Record<number, number> = {};
    for (const count of counts)
      times[count] = await saverShare(open, count, count > 1000 && !name.startsWith("Vfs") ? 5 : 60);
    share[name] = times;
    say(
      `put and putWrites, ${name}: ${Object.entries(times)
        .map(([count, ms]) => `${ms.toFixed(2)} ms at ${count}`)
        .join(", ")}`,
    );
  }
  results["saverShareMs"] = share;

  const path = join(tmpdir(), `palimpsest-resume-${process.pid}.db`);
  const resumed: Record<string, number> = {};
  for (const kind of ["random", "text"] as const) {
    resumed[kind] = await resume(path, isQuick ? 2000 : 20_000, kind);
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  }
  results["resumeMs"] = resumed;
  say(`resuming ${isQuick ? "2,000" : "20,000"} messages: ${JSON.stringify(resumed)} ms`);

  const agent: Record<string, number> = {};
  for (const [name, open] of Object.entries(all)) agent[name] = await agentCalls(open);
  results["agentBytes"] = agent;
  say(`100 rounds of four parallel tool calls, createAgent v2, bytes: ${JSON.stringify(agent)}`);

  results["hugeResult"] = ours && (await hugeResult(ours));
  say(`a tool result of 50 MB: ${JSON.stringify(results["hugeResult"])}`);

  const file: Record<string, number> = {};
  for (const [name, open] of Object.entries(all)) file[name] = await staticFile(open);
  results["staticFileBytesPerStep"] = file;
  say(`a file of 200 KB in the state adds to each step, bytes: ${JSON.stringify(file)}`);
} finally {
  if ("url" in postgres) postgres.stop();
}
if (asJson) process.stdout.write(`${JSON.stringify(results)}\n`);
