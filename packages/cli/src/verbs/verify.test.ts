import { LibsqlDriver, VfsSaver } from "@palimpsest/checkpoint";
import Database from "libsql";
import { copyFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { checkStorage } from "../verify/check-storage.js";
import { writeNotes } from "../testing/repair-storage.js";
import { json, run } from "../testing/run.js";
import { newPath, removePaths, writeThreads } from "../testing/written-storage.js";

interface Verified {
  readonly threads: number;
  readonly checkpoints: number;
  readonly files: number;
  readonly damage: readonly { readonly thread: string; readonly what: string; readonly error: string }[];
}

afterAll(removePaths);
const path = newPath();
beforeAll(async () => writeThreads(path));

function change(file: string, ...statements: readonly string[]): void {
  const database = new Database(file);
  for (const sql of statements) database.exec(sql);
  database.close();
}

async function verified(file: string): Promise<Verified> {
  const { code, out } = await run("verify", file, "--json");
  const result = JSON.parse(out) as Verified;
  expect(code).toBe(result.damage.length > 0 ? 1 : 0);
  return result;
}

async function afterChange(...statements: readonly string[]): Promise<Verified> {
  const copy = newPath();
  copyFileSync(path, copy);
  change(copy, ...statements);
  return verified(copy);
}

const record = "(SELECT path FROM files WHERE path LIKE '%.jsonl' LIMIT 1)";

it("verify reports no damage in a thread that is deleted at any moment of the check", async () => {
  const file = newPath();
  const [writer, reader] = [VfsSaver.fromPath(file), VfsSaver.fromPath(file, { readOnly: true })];
  for (let turns = 0; turns < 600; turns += 60) {
    await writeNotes(writer, "notes", 3);
    await writer.files.archive("notes").append("/context/history/1.md", "an original");
    const checking = checkStorage({ saver: reader, args: [], progress: () => undefined });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await writer.deleteThread("notes");
    expect([turns, (await checking).damage]).toEqual([turns, []]);
  }
  await Promise.all([writer, reader].map(async (saver) => saver.close()));
});

describe("a storage with a tenant key", () => {
  const secret = "the secret of the tenant";
  const keyed = newPath();
  beforeAll(async () => {
    const saver = VfsSaver.fromPath(keyed, { tenantKey: secret });
    await writeNotes(saver, "notes", 3);
    await saver.close();
  });
  afterEach(() => vi.unstubAllEnvs());

  it("is damaged without its key, and the report says which option is missing", async () => {
    const { code, out } = await run("verify", keyed);
    expect(code).toBe(1);
    expect(out).toContain("or it was stored with another tenant key");
    expect(out).toContain("pass it with --tenant-key or\nPALIMPSEST_TENANT_KEY");
  });

  it.each([
    ["as text", secret],
    ["as its bytes", `hex:${Buffer.from(secret).toString("hex")}`],
  ])("is intact with its key, %s, as an option and in the environment", async (_, key) => {
    expect(await json<Verified>("verify", keyed, "--tenant-key", key)).toMatchObject({ damage: [] });
    vi.stubEnv("PALIMPSEST_TENANT_KEY", key);
    expect(await verified(keyed)).toMatchObject({ threads: 1, damage: [] });
  });

  it.each([
    ["", /The tenant key is empty/u],
    ["hex:0", /pairs of hex digits/u],
  ])("is not opened with the key %j", async (key, message) => {
    const { code, err } = await run("threads", keyed, "--tenant-key", key);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});

describe("verify names what is damaged and checks everything else:", () => {
  it.each([
    [
      "two checkpoints whose bytes changed",
      "UPDATE checkpoints SET data = zeroblob(length(data)) WHERE seq IN (3, 40)",
      { checkpoints: 54 },
      [
        [/^checkpoint 1/u, /^The checkpoint \S+ of the thread "one" is damaged/u],
        [/^checkpoint 1/u, /^The checkpoint \S+ of the thread "one" is damaged/u],
      ],
    ],
    [
      "a checkpoint that is cut",
      "UPDATE checkpoints SET data = substr(data, 1, 20) WHERE seq = 7",
      { checkpoints: 55 },
      [[/^checkpoint 1/u, /^The checkpoint \S+ of the thread "one" is damaged/u]],
    ],
    [
      "a checkpoint that is gone",
      "DELETE FROM checkpoints WHERE seq = 7",
      { checkpoints: 55 },
      [[/^entry$/u, /^1 of 48 checkpoints in the namespace "" of the thread "one"/u]],
    ],
    [
      "the writes of a task",
      "UPDATE writes SET data = zeroblob(9) WHERE (id, task) = (SELECT id, task FROM writes WHERE space = 1 LIMIT 1)",
      { checkpoints: 56 },
      [[/^checkpoint 1/u, /^The row of the task \S+ at the checkpoint/u]],
    ],
    [
      "the entry of a thread",
      "UPDATE spaces SET sum = sum + 1 WHERE thread = 'two'",
      { threads: 1, checkpoints: 48 },
      [
        [/^entry$/u, /the entry of the thread "two" is damaged/u],
        // The damaged entry may be one of this thread, so its list may lack a namespace.
        [/^entry$/u, /the entry of the thread "one" is damaged/u],
      ],
    ],
    [
      "an archive file whose bytes changed",
      `UPDATE chunks SET data = zeroblob(length(data)) WHERE id = (SELECT chunk FROM files WHERE path = ${record})`,
      { checkpoints: 56 },
      [[/^archive file \/context\/history\//u, /is damaged: its bytes changed/u]],
    ],
    [
      "the entry of an archive file",
      `UPDATE files SET size = size - 1 WHERE path = ${record}`,
      { checkpoints: 56 },
      [[/^archive file \/context\/history\//u, /is damaged: its entry changed/u]],
    ],
    [
      "the record of a fold that is gone",
      "DELETE FROM files WHERE path LIKE '%.jsonl'",
      { checkpoints: 56 },
      // One in the newest state, and two in older ones.
      Array.from({ length: 3 }, () => [/^fold summary-/u, /\/context\/history\//u]),
    ],
  ])("%s", async (...[, sql, counts, expected]) => {
    const { damage, ...checked } = await afterChange(sql);
    expect(checked).toMatchObject(counts);
    expect(damage.map(({ what, error }) => [what, error])).toEqual(
      expected.map((pair) => pair.map((pattern) => expect.stringMatching(pattern))),
    );
  });

  it("an entry whose path is below no thread any more", async () => {
    const sql =
      "UPDATE files SET path = replace(path, '/context/', '/con4ext/') WHERE path LIKE '%/certificates/0001%'";
    const { damage } = await afterChange(sql);
    expect(damage).toEqual([
      { thread: "", what: "entry", error: expect.stringMatching(/con4ext.*its entry changed/u) as string },
    ]);
    const file = newPath();
    copyFileSync(path, file);
    change(file, sql);
    expect((await run("verify", file, "--repair", newPath())).code).toBe(1);
  });

  it("an archive file whose content does not match its name", async () => {
    const copy = newPath();
    copyFileSync(path, copy);
    const driver = LibsqlDriver.open(copy);
    let target = "";
    for await (const { path: file } of driver.list("/threads")) if (file.endsWith(".jsonl")) target = file;
    await driver.write(target, Buffer.from("another record"));
    driver.close();
    const { damage } = await verified(copy);
    expect(damage).toEqual([
      {
        thread: "one",
        what: expect.stringMatching(/^archive file/u),
        error: expect.stringContaining("its content does not match the digest in its name"),
      },
    ]);
  });

  it("one of many small archive files that are read together, each damaged one with its own error", async () => {
    const copy = newPath();
    copyFileSync(path, copy);
    const saver = VfsSaver.fromPath(copy);
    const archive = saver.files.archive("one");
    const before = (await verified(copy)).files;
    for (let at = 0; at < 300; at++)
      await archive.append(`/context/notes/${at}.md`, `Note ${at}. `.repeat(20));
    await saver.close();
    change(
      copy,
      "UPDATE chunks SET data = zeroblob(length(data)) WHERE id = (SELECT chunk FROM files WHERE path LIKE '%/notes/7.md')",
      "UPDATE files SET size = size - 1 WHERE path LIKE '%/notes/250.md'",
    );
    const { files, damage } = await verified(copy);
    expect(files).toBe(before + 300);
    const errors = Object.fromEntries(damage.map(({ what, error }) => [what, error]));
    expect(errors).toEqual({
      "archive file /context/notes/7.md": expect.stringContaining("is damaged: its bytes changed"),
      "archive file /context/notes/250.md": expect.stringContaining("is damaged: its entry changed"),
    });
  });

  it.each([
    ["changed", "data = zeroblob(length(data))"],
    ["cut", "data = substr(data, 1, length(data) / 2)"],
    ["gone", "digest = randomblob(16)"],
  ])("every stored value that is %s, with the newest checkpoint that holds it", async (_, damage) => {
    const database = new Database(path);
    const rows = database.prepare("SELECT id FROM blobs WHERE length(data) > 7").all() as { id: number }[];
    database.close();
    expect(rows.length).toBeGreaterThan(10);
    for (const { id } of rows.filter((_, index) => index % 8 === 0)) {
      const found = await afterChange(`UPDATE blobs SET ${damage} WHERE id = ${id}`);
      const values = found.damage.filter(({ what }) => what.startsWith("checkpoint "));
      expect(found.checkpoints).toBe(56);
      expect(values.length).toBeGreaterThan(0);
      expect(new Set(values.map(({ thread }) => thread)).size).toBe(values.length);
    }
  });

  it("every value of a damaged bundle", async () => {
    const found = await afterChange("UPDATE bundles SET data = zeroblob(length(data)) WHERE id = 1");
    const database = new Database(path);
    const { members } = database.prepare("SELECT members FROM bundles WHERE id = 1").get() as {
      members: number;
    };
    database.close();
    const values = found.damage.filter(
      ({ thread, what }) => thread === "one" && what.startsWith("checkpoint "),
    );
    expect(members).toBeGreaterThan(5);
    expect(values).toHaveLength(members);
    expect(found.checkpoints).toBe(56);
  });

  it("all of it together", async () => {
    const { damage } = await afterChange(
      "UPDATE spaces SET sum = sum + 1 WHERE thread = 'two'",
      "UPDATE checkpoints SET data = zeroblob(length(data)) WHERE seq IN (3, 40)",
      "DELETE FROM blobs WHERE id = 30",
      "DELETE FROM files WHERE path LIKE '%.jsonl'",
    );
    const kinds = damage.map(({ thread, what }) => `${thread}: ${what.split(" ")[0]}`);
    expect(kinds).toEqual(expect.arrayContaining(["two: entry", "one: checkpoint", "one: entry"]));
    expect(kinds.filter((kind) => kind === "one: checkpoint").length).toBeGreaterThan(2);
  });
});
