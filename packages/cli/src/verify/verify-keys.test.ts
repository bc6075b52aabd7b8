import { migrateThread, VfsSaver } from "@palimpsest/checkpoint";
import { toStoredMessage } from "@palimpsest/context";
import { readState, unfoldState } from "@palimpsest/inspector";
import Database from "libsql";
import { copyFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../testing/run.js";
import { newPath, removePaths, writeThread } from "../testing/written-storage.js";

afterAll(removePaths);
const path = newPath();
let whole: string;

/** The whole thread at every checkpoint that a user may go back to, as text. */
async function read(file: string, secrets: { readonly sealKey?: string } = {}): Promise<string> {
  const saver = VfsSaver.fromPath(file, secrets);
  const states: unknown[] = [];
  for await (const { id } of saver.checkpoints("one")) {
    const state = await readState(saver, "one", id);
    states.push((await unfoldState(saver, state)).map((message) => toStoredMessage(message)));
  }
  await saver.close();
  return JSON.stringify(states);
}

beforeAll(async () => {
  const saver = VfsSaver.fromPath(path, { sealKey: "secret" });
  await writeThread(saver, "one", 8);
  await saver.close();
  whole = await read(path);
});

function after(...statements: readonly string[]): string {
  const copy = newPath();
  copyFileSync(path, copy);
  const database = new Database(copy);
  for (const sql of statements) database.exec(sql);
  database.close();
  return copy;
}

const lost = "DELETE FROM files WHERE path LIKE '/threads/one/keys/%'";
const missing = /^one: key: The key of the thread "one" is missing or damaged/mu;

describe("a thread whose key is damaged or lost", () => {
  it.each([
    ["whose row is gone", lost, 0],
    // The entries under another name stay: nobody reads them, and nothing says whose they were.
    ["whose path has changed", "UPDATE files SET path = replace(path, '/keys/', '/kezs/')", 2],
    [
      "whose bytes have changed",
      "UPDATE chunks SET data = zeroblob(length(data)) WHERE id IN (SELECT chunk FROM files WHERE path LIKE '%/keys/%')",
      0,
    ],
  ])(
    "%s is named by verify, and sealed again in a copy as far as the archive proves its folds",
    async (_, sql, left) => {
      const file = after(sql);
      const { code, out } = await run("verify", file);
      expect(out).toMatch(missing);
      expect(code).toBe(1);
      await expect(read(file)).rejects.toMatchObject({ code: "missing-key" });

      const copy = newPath();
      const repair = await run("verify", file, "--repair", copy);
      expect(repair.out).toMatch(
        /^one: the key, and the seals of [1-9]\d* folds: restored from its archive/mu,
      );
      expect(repair.out).toMatch(new RegExp(`: ${left} damaged$`, "mu"));
      expect(repair.code).toBe(left === 0 ? 0 : 1);
      expect(await read(copy)).toBe(whole);
    },
  );

  it("is whole with the secret that the key is derived from", async () => {
    const file = after(lost);
    expect((await run("verify", file, "--seal-key", "secret")).code).toBe(0);
    expect(await read(file, { sealKey: "secret" })).toBe(whole);
  });

  it("gets it back from a backup", async () => {
    const copy = newPath();
    const { out, code } = await run("verify", after(lost), "--repair", copy, "--from", path);
    expect(out).toMatch(/^one: key: restored from the backup/mu);
    expect(code).toBe(0);
    expect(await read(copy)).toBe(whole);
  });

  it("gets it back from its copy, without which it still reads", async () => {
    const file = after(
      "UPDATE chunks SET data = zeroblob(length(data)) WHERE id IN (SELECT chunk FROM files WHERE path LIKE '%/keys/%' AND path NOT LIKE '%.copy')",
    );
    expect(await read(file)).toBe(whole);
    const { out, code } = await run("verify", file);
    expect(out).toMatch(/^one: key: \/threads\/one\/keys\/\w+ is not a key of the thread/mu);
    expect(code).toBe(1);
    const copy = newPath();
    expect((await run("verify", file, "--repair", copy)).code).toBe(0);
    expect((await run("verify", copy)).code).toBe(0);
  });

  it("ends the repair of a copy whose path is no text, and names it as lost", async () => {
    const file = after(
      "UPDATE files SET path = CAST(CAST(substr(path, 1, length(path) - 9) AS BLOB) || x'b2' || substr(path, -8) AS TEXT) WHERE path LIKE '%.copy'",
    );
    const { out, code } = await run("verify", file, "--repair", newPath());
    expect(out).toMatch(/^one: key: \/threads\/one\/keys\/.+ is not a key of the thread/mu);
    expect(code).toBe(1);
  });

  it("has it in copies of the thread, in backups, and after a move to another storage", async () => {
    const [backup, target] = [newPath(), newPath()];
    expect((await run("backup", path, backup)).code).toBe(0);
    expect(await read(backup)).toBe(whole);
    const saver = VfsSaver.fromPath(backup);
    await saver.copyThread("one", "two");
    await saver.deleteThread("one");
    await saver.copyThread("two", "one");
    await saver.close();
    expect(await read(backup)).toBe(whole);
    const [from, to] = [VfsSaver.fromPath(path), VfsSaver.fromPath(target)];
    await migrateThread({ from, to, threadId: "one" });
    await Promise.all([from.close(), to.close()]);
    expect(await read(target)).toBe(whole);
  });
});
