import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CheckpointError } from "../../checkpoint-error.js";
import { newDatabase } from "../../testing/empty-postgres.js";
import { contentsAt, notebook } from "../../testing/notebook.js";
import { canStartPostgres, startOwnPostgres } from "../../testing/postgres-server.js";
import type { OwnPostgres } from "../../testing/postgres-server.js";
import { VfsSaver } from "../../saver/vfs-saver.js";

const config = (threadId: string) => ({ configurable: { thread_id: threadId } });

/** Returns whether the storage asks to try again. */
function isPassing(error: unknown): boolean {
  if (CheckpointError.isInstance(error)) return error.code === "busy";
  // The error that a tool shows to the model.
  return error instanceof Error && error.message.includes("Postgres did not answer");
}

/** Runs steps until the work is over, and repeats each that the storage asks to try again. Returns what was acknowledged. */
async function write(saver: VfsSaver, isOver: () => boolean): Promise<Record<string, string>> {
  const acknowledged: Record<string, string> = {};
  for (let step = 0; step < 5 || !isOver(); step++) {
    const todo = { [`/${step % 4}`]: `content ${step}` };
    for (let isDone = false; !isDone;) {
      isDone = await notebook(saver)
        .invoke({ todo }, config("t"))
        .then(
          () => true,
          (error: unknown) => {
            if (isPassing(error)) return false;
            throw error;
          },
        );
    }
    Object.assign(acknowledged, todo);
  }
  return acknowledged;
}

async function steps(saver: VfsSaver): Promise<number> {
  let found = 0;
  for await (const { checkpoint } of saver.list(config("t"))) found += checkpoint.id === "" ? 0 : 1;
  return found;
}

const given = process.env["PALIMPSEST_POSTGRES_URL"];

describe.each(given ? [given] : [])("a saver on Postgres", (url) => {
  it("replaces lost connections during steps, and loses nothing", async () => {
    const { default: pg } = await import("pg");
    const database = await newDatabase(url, `palimpsest_lost_${process.pid}`);
    const saver = await VfsSaver.fromPostgres(database);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    let lost = 0;
    let isOver = false;
    const writing = write(saver, () => isOver);
    while (lost < 20) {
      const { rowCount } = await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
        [new URL(database).pathname.slice(1)],
      );
      lost += rowCount ?? 0;
      // Fails at once when the steps do.
      await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 40))]);
    }
    isOver = true;
    const acknowledged = await writing;
    expect(await contentsAt(saver, config("t"))).toEqual(acknowledged);
    expect(await steps(saver)).toBeGreaterThanOrEqual(15);
    await admin.end();
    await saver.close();
  });
});

/** Only a server that the tests started may crash. */
const crashes = given !== undefined && canStartPostgres() ? ["crashes"] : [];

describe.each(crashes)("a Postgres server that %s", () => {
  let server: OwnPostgres;
  beforeAll(async () => {
    const started = await startOwnPostgres();
    if ("missing" in started) throw new Error(started.missing);
    server = started;
  });
  afterAll(() => server.stop());

  it("and restarts has every acknowledged step, and steps continue", async () => {
    const saver = await VfsSaver.fromPostgres(server.url);
    let isOver = false;
    const writing = write(saver, () => isOver);
    for (let crash = 0; crash < 2; crash++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      server.crash();
      await notebook(saver)
        .getState(config("t"))
        .catch(() => undefined);
    }
    isOver = true;
    const acknowledged = await writing;
    expect(await contentsAt(saver, config("t"))).toEqual(acknowledged);
    await saver.close();
    const reader = await VfsSaver.fromPostgres(server.url);
    expect(await contentsAt(reader, config("t"))).toEqual(acknowledged);
    await reader.close();
  });
});
