import { describe, expect, it } from "vitest";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { checkThread } from "../testing/check-thread.js";
import { newDatabase } from "../testing/empty-postgres.js";
import { runWriter } from "../testing/run-writer.js";
import { temporaryPath } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];

/** How many writing processes to kill. @default 10 */
const kills = Number(process.env["PALIMPSEST_KILLS"] ?? 10);

/** A file and, where there is a server, a database: the processes write to both at the same time. */
async function newTargets(): Promise<string[]> {
  return [temporaryPath(), ...(postgresUrl ? [await newDatabase(postgresUrl, "palimpsest_shared")] : [])];
}

async function open(target: string): Promise<VfsSaver> {
  return target.startsWith("postgres") ? VfsSaver.fromPostgres(target) : VfsSaver.fromPath(target);
}

/** SQLite's own check of a file. */
function integrityOf(path: string): unknown {
  const database = new LibsqlDatabase(path);
  const result = database.get("PRAGMA integrity_check")?.["integrity_check"];
  database.close();
  return result;
}

describe("processes on one file and one database", () => {
  it(
    "keep every acknowledged step and file after kill -9, without dangling references",
    async () => {
      let targets: string[] = [];
      for (let kill = 0; kill < kills; kill++) {
        if (kill % 5 === 0) targets = await newTargets();
        const run = await runWriter({
          targets,
          threads: ["a", "b"],
          steps: 1e6,
          killAfter: Math.random() * 400,
        });
        expect(run.exit).toBeNull();
        for (const [target, threads] of run.acknowledged) {
          const saver = await open(target);
          for (const [threadId, step] of threads) {
            expect(await checkThread(saver, threadId)).toBeGreaterThanOrEqual(step);
          }
          await saver.close();
        }
        expect(integrityOf(targets[0] ?? "")).toBe("ok");
      }
      expect(kills).toBeGreaterThan(0);
    },
    30_000 * (kills + 1),
  );

  it("lose nothing when 8 of them write 64 threads", async () => {
    const targets = await newTargets();
    const groups = Array.from({ length: 8 }, (_, group) =>
      Array.from({ length: 8 }, (_, index) => `t${group * 8 + index}`),
    );
    const runs = await Promise.all(groups.map(async (threads) => runWriter({ targets, threads, steps: 2 })));
    expect(runs.map(({ exit, errors }) => ({ exit, errors }))).toEqual(
      groups.map(() => ({ exit: 0, errors: "" })),
    );
    for (const target of targets) {
      const saver = await open(target);
      for (const threadId of groups.flat()) expect(await checkThread(saver, threadId)).toBe(1);
      await saver.close();
    }
  });
});
