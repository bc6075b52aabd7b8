import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VfsSaver } from "@palimpsest/checkpoint";
import { unfold } from "@palimpsest/context";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  commonEnd,
  erasedImage,
  hosts,
  plantThread,
  rawForms,
  secretsFor,
  type Host,
} from "./testing/planted-thread.js";
import { run } from "./testing/run.js";
import { newPath, removePaths } from "./testing/written-storage.js";

afterAll(removePaths);

const key = randomBytes(32);
const encryption = { keyId: () => "tenant-7/1", key: () => key };
const threads = Object.keys(hosts) as Host[];
const planted = secretsFor(threads.length * 8);
const storage = { directory: "", path: "", keys: "" };
const said = new Map<string, Awaited<ReturnType<typeof plantThread>>>();

beforeAll(async () => {
  storage.directory = newPath("encrypted");
  mkdirSync(storage.directory);
  storage.path = join(storage.directory, "agent.db");
  storage.keys = newPath("keys.json");
  writeFileSync(
    storage.keys,
    JSON.stringify({ keys: { "tenant-7/1": `hex:${key.toString("hex")}` }, keyId: "tenant-7/1" }),
  );
  const saver = VfsSaver.fromPath(storage.path, { encryption });
  for (const [at, host] of threads.entries())
    said.set(
      `t${at}`,
      await plantThread(saver, planted.slice(8 * at, 8 * at + 8), { threadId: `t${at}`, host }),
    );
  await saver.close();
});

/** Returns how often what all planted texts end with stands in the files of the storage. */
function found(): number {
  return readdirSync(storage.directory).reduce((count, name) => {
    const bytes = readFileSync(join(storage.directory, name));
    return count + rawForms(commonEnd).filter((form) => bytes.includes(form)).length;
  }, 0);
}

describe("an encrypted storage", () => {
  it("holds no byte of what was said in it, and everything unfolds", async () => {
    expect(found()).toBe(0);
    const saver = VfsSaver.fromPath(storage.path, { encryption });
    for (const [threadId, messages] of said) {
      const thread = [];
      for await (const message of saver.readThread({ configurable: { thread_id: threadId } }, { unfold }))
        thread.push(erasedImage(message, [], ""));
      expect(thread).toEqual(messages.map((message) => erasedImage(message, [], "")));
    }
    await saver.close();
  });

  it("is read, searched and verified with its keys, and names the way without", async () => {
    const args = ["--encryption-keys", storage.keys];
    const searched = await run("search", storage.path, commonEnd, ...args);
    expect(searched.code).toBe(0);
    expect(searched.out).toContain(commonEnd);
    const verified = await run("verify", storage.path, ...args);
    expect(verified.out).toMatch(/: 0 damaged$/mu);
    expect(verified.code).toBe(0);
    const without = await run("show", storage.path, "t0");
    expect(without.code).toBe(1);
    expect(without.err).toMatch(/"tenant-7\/1" is not available.*no encryption/u);
    expect((await run("threads", storage.path)).out).toContain("t0");
  });

  it("is restored from a backup without keys, values and archive files", async () => {
    const [backup, copy] = [newPath("backup.db"), newPath("copy.db")];
    copyFileSync(storage.path, backup);
    const database = new Database(storage.path);
    database.exec("UPDATE chunks SET data = zeroblob(length(data)) WHERE id % 3 = 0");
    database.exec("UPDATE blobs SET data = zeroblob(length(data)) WHERE id % 3 = 0");
    database.close();
    const args = ["--encryption-keys", storage.keys];
    expect((await run("verify", storage.path, ...args)).code).toBe(1);
    const repaired = await run("verify", storage.path, "--repair", copy, "--from", backup, ...args);
    expect(repaired.err).not.toContain("palimpsest:");
    expect(repaired.out).toMatch(/encrypted file .* restored from the backup/u);
    expect(repaired.out).toMatch(/: 0 damaged$/mu);
    copyFileSync(backup, storage.path);
  });

  it("erases a text with the keys, and stays encrypted", async () => {
    const { secret } = planted[0]!;
    const [texts, args] = [newPath("texts.txt"), ["--encryption-keys", storage.keys]];
    writeFileSync(texts, secret);
    expect((await run("search", storage.path, secret, ...args)).out).toContain(secret);
    const how = ["--match-from", texts, "--reason", "asked", "--yes"];
    const erased = await run("erase", storage.path, ...how, ...args);
    expect(erased.out).toContain("t0");
    expect(erased.code).toBe(0);
    expect((await run("search", storage.path, secret, ...args)).out).not.toContain(secret);
    expect(found()).toBe(0);
  });

  it("names a file of keys that cannot be used", async () => {
    const bad = newPath("bad.json");
    writeFileSync(bad, JSON.stringify({ keys: { a: "secret" } }));
    const wrong = await run("threads", storage.path, "--encryption-keys", bad);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.err).toContain('The key "a" in');
    const missing = await run("threads", storage.path, "--encryption-keys", newPath("none.json"));
    expect(missing.err).toContain("The keys of encryption cannot be read");
  });
});
