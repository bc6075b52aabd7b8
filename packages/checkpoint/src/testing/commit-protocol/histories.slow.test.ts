import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VfsSaver } from "../../saver/vfs-saver.js";
import { newDatabase } from "../empty-postgres.js";
import { temporaryPath } from "../savers.js";
import type { SealedPath, Told, WorkerOptions } from "./history-worker.js";

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];

/** Histories on each storage. 1,000 take five minutes. @default 60 */
const histories = Number(process.env["PALIMPSEST_HISTORIES"] ?? 60);
/** Milliseconds of a history, of the start of a process, and between two kills. */
const [slice, startUp, killEvery] = [120, 2_000, 1_000];
const script = fileURLToPath(
  new URL("../../../dist/testing/commit-protocol/history-worker.js", import.meta.url),
);

/** Runs three processes, kills one of them again and again, and returns what they have told. */
async function play(target: string): Promise<{ readonly told: readonly Told[]; readonly kills: number }> {
  const start = Date.now() + startUp;
  const told: Told[] = [];
  let kills = 0;
  const ends: Promise<unknown>[] = [];
  const run = (number: number): ChildProcess => {
    const options: WorkerOptions = { target, process: number, start, slice, histories };
    const child = spawn(process.execPath, [script, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let rest = "";
    child.stdout.on("data", (data: Buffer) => {
      const lines = (rest + data.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) told.push(JSON.parse(line) as Told);
    });
    ends.push(new Promise((resolve) => child.on("close", resolve)));
    return child;
  };
  const children = [0, 1, 2].map(run);
  const end = start + slice * histories;
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, killEvery * (0.5 + Math.random())));
    const number = kills % children.length;
    if (Date.now() < start || children[number]?.exitCode !== null) continue;
    children[number].kill("SIGKILL");
    kills += 1;
    children[number] = run(number);
  }
  await Promise.all(ends);
  return { told, kills };
}

/** Returns what is wrong with a thread that is there. */
async function faultsOf(saver: VfsSaver, thread: string, acknowledged: readonly string[]): Promise<string[]> {
  const history = /^h\d+/.exec(thread)?.[0] ?? "";
  const faults: string[] = [];
  const archive = saver.files.archive(thread);
  const seal = saver.files.seal(thread);
  const stored = new Set<string>();
  for await (const { checkpoint } of saver.list({ configurable: { thread_id: thread } })) {
    stored.add(checkpoint.id);
    const { folds, note } = checkpoint.channel_values as { folds: readonly SealedPath[]; note: string };
    if (!note.startsWith(`${history} `)) faults.push(`${thread} sees another thread`);
    for (const { path, seal: sealed } of folds) {
      if (!(await archive.readText(path)).startsWith(`${history} `))
        faults.push(`${thread} reads another thread`);
      if (!(await seal.verify("fold", path, sealed)))
        faults.push(`${thread}: a fold without the key of its thread`);
    }
  }
  // The newest survives every prune.
  const isPruned = Number(history.slice(1)) % 3 === 0;
  const kept = isPruned ? acknowledged.toSorted().slice(-1) : acknowledged;
  for (const id of kept)
    if (!stored.has(id)) faults.push(`${thread}: the acknowledged checkpoint ${id} is gone`);
  return faults;
}

async function check(target: string, told: readonly Told[]): Promise<readonly string[]> {
  const saver = await open(target);
  const acknowledged = new Map<string, string[]>();
  for (const { thread, id } of told)
    if (id !== undefined) acknowledged.set(thread, [...(acknowledged.get(thread) ?? []), id]);
  const faults = told.flatMap(({ thread, error }) => (error === undefined ? [] : [`${thread}: ${error}`]));
  for (const thread of await saver.threads()) {
    // A copy may be deleted and made again by its process, so only its shared thread has to keep what was acknowledged.
    const kept = thread.includes("-") ? [] : (acknowledged.get(thread) ?? []);
    const found = await faultsOf(saver, thread, kept).catch((error: unknown) => [
      `${thread}: ${String(error)}`,
    ]);
    faults.push(...found);
  }
  await saver.close();
  return faults;
}

async function open(target: string): Promise<VfsSaver> {
  return target.startsWith("postgres") ? VfsSaver.fromPostgres(target) : VfsSaver.fromPath(target);
}

describe("random histories of three processes, of which one is killed again and again", () => {
  it.each([
    ["SQLite", async () => temporaryPath()],
    ...(postgresUrl === undefined
      ? []
      : [["Postgres", async () => newDatabase(postgresUrl, "palimpsest_histories")] as const]),
  ] as const)(
    "leave everything acknowledged readable, every fold whole and every thread alone: %s",
    async (_, create) => {
      const target = await create();
      const { told, kills } = await play(target);
      expect(await check(target, told)).toEqual([]);
      expect(kills).toBeGreaterThan(1);
      const played = new Set(told.map(({ history }) => history)).size;
      expect(played).toBeGreaterThan(histories / 8);
      console.info(
        JSON.stringify({ target: target.slice(0, 8), histories: played, acknowledged: told.length, kills }),
      );
    },
    60_000 + 600 * histories,
  );
});
