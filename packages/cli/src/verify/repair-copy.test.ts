import { LibsqlDriver } from "@palimpsest/checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RepairStorage, repaired } from "../testing/repair-storage.js";
import { run } from "../testing/run.js";
import { newPath, removePaths } from "../testing/written-storage.js";

afterAll(removePaths);
let storage: RepairStorage;
beforeAll(async () => {
  storage = await RepairStorage.write({ turns: 10, steps: 4 });
});

describe("verify --repair restores on a copy", () => {
  it.each([
    [
      "an archive record from the messages of older checkpoints",
      "UPDATE chunks SET data = zeroblob(length(data)) WHERE id IN (SELECT chunk FROM files WHERE path LIKE '%.jsonl')",
      [/^archive file \/context\/history\/.*jsonl$/u, /^messages of the thread "one"$/u],
    ],
    [
      "an archive record that is gone",
      "DELETE FROM files WHERE path LIKE '%.jsonl'",
      [/^archive file \/context\/history\/.*jsonl$/u, /^messages of the thread "one"$/u],
    ],
    [
      "an archive record whose entry is damaged",
      "UPDATE files SET size = size + 1 WHERE path LIKE '%.jsonl'",
      [/^archive file \/context\/history\/.*jsonl$/u, /^messages of the thread "one"$/u],
    ],
    [
      "the content of workspace files from the calls that wrote them",
      "DELETE FROM files WHERE path LIKE '/blobs/%'",
      [/^workspace content/u, /^a message of the thread "notes"$/u],
    ],
    [
      "the values of a bundle whose checksum changed",
      "UPDATE bundles SET data = zeroblob(16) || substr(data, 17)",
      [/^value/u, /^its bundle$/u],
    ],
    [
      "values whose rows no longer point to their bundle",
      "UPDATE blobs SET data = zeroblob(7) WHERE length(data) = 7 AND id % 2 = 0",
      [/^value/u, /^its bundle$/u],
    ],
  ])("%s", async (...[, sql, [what, from]]) => {
    const { restored, lost, damage, copy, code } = await repaired(storage.damaged(sql));
    expect(damage.length).toBeGreaterThan(0);
    expect({ lost, code }).toEqual({ lost: [], code: 0 });
    expect(restored.length).toBeGreaterThan(0);
    for (const part of restored) {
      expect(part.what).toMatch(what ?? "");
      expect(part.from).toMatch(from ?? "");
    }
    expect(await storage.objectsIn(copy)).toEqual(storage.intact);
  });

  it("the key of a thread with damaged checkpoints, which it names", async () => {
    const { restored, lost, copy, code } = await repaired(
      storage.damaged(
        "DELETE FROM files WHERE path LIKE '/threads/%/keys/%'",
        "UPDATE checkpoints SET data = zeroblob(length(data)) WHERE seq % 5 = 0",
        "DELETE FROM checkpoints WHERE seq % 7 = 0",
      ),
    );
    expect(code).toBe(1);
    expect(restored.filter(({ what }) => what.startsWith("the key")).map(({ thread }) => thread)).toContain(
      "one",
    );
    expect(new Set(lost.map(({ thread }) => thread))).toEqual(new Set(["one", "notes"]));
    const readable = [...(await storage.objectsIn(copy)).values()].filter((value) => value !== undefined);
    expect(readable.length).toBeGreaterThan(storage.intact.size / 2);
  });

  it("messages and pages of lists that the archive and older checkpoints determine", async () => {
    const { restored, copy } = await repaired(
      storage.damaged("UPDATE bundles SET data = zeroblob(length(data))"),
    );
    const sources = new Set(restored.map(({ from }) => from.replace(/checkpoint \S+ of/u, "checkpoint of")));
    expect([...sources]).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\/context\/history\/.*of the thread "one"$/u)]),
    );
    expect(storage.changed(await storage.objectsIn(copy))).toEqual([]);
  });

  it("nothing else: a part without a matching digest stays lost and is named", async () => {
    const { restored, lost, code } = await repaired(
      storage.damaged(
        "UPDATE checkpoints SET data = zeroblob(length(data)) WHERE seq = 3",
        "DELETE FROM files WHERE path LIKE '%.md'",
      ),
    );
    expect({ restored, code }).toEqual({ restored: [], code: 1 });
    const [row, ...folds] = lost;
    expect(row?.what).toMatch(/^checkpoint /u);
    // The record beside a file is whole, but the agent is told of the file.
    expect(folds.length).toBeGreaterThan(0);
    for (const { what, error } of folds) {
      expect(what).toMatch(/^fold /u);
      expect(error).toMatch(/\.md does not exist/u);
    }
  });
});

it("verify --repair replaces no file, and takes neither a thread nor a Postgres database", async () => {
  expect((await run("verify", storage.path, "--repair", storage.path)).err).toContain(
    "exists. Pass the path of a new file",
  );
  expect((await run("verify", storage.path, "one", "--repair", newPath())).err).toContain("Pass no thread");
});

it("verify --repair leaves a copy of an archive file whose content does not match its name", async () => {
  const file = storage.damaged();
  const driver = LibsqlDriver.open(file);
  const name = storage.archived.find((one) => one.endsWith(".jsonl")) ?? "";
  const target = `/threads/${name.replace(" ", "")}`;
  await driver.write(target, Buffer.from("another record"));
  driver.close();
  const { restored, copy } = await repaired(file);
  expect(restored).toHaveLength(1);
  expect(await storage.objectsIn(copy)).toEqual(storage.intact);
});
