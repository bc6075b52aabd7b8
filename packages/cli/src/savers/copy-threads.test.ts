import { readFileSync, writeFileSync } from "node:fs";
import { VfsSaver } from "@palimpsest/checkpoint";
import Database from "libsql";
import { afterAll, expect, it } from "vitest";
import { run } from "../testing/run.js";
import { newPath, removePaths, writeThread } from "../testing/written-storage.js";

afterAll(removePaths);

it("a saver of LangGraph whose database fails is named in one line, with the way out", async () => {
  const [storage, other, cut] = [newPath("agent.db"), newPath("saver.db"), newPath("cut.db")];
  const saver = VfsSaver.fromPath(storage);
  await writeThread(saver, "t", 8);
  await saver.close();
  expect((await run("export", storage, "--saver", other)).code).toBe(0);
  const database = new Database(other);
  database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get([]);
  const bytes = readFileSync(other);
  // The rows of most checkpoints: the first pages hold the schema.
  writeFileSync(cut, bytes.fill(0, Math.floor(bytes.length / 4)));
  const failed =
    /^palimpsest: \S+cut\.db cannot be read or written: .* \(SQLITE_CORRUPT\)\. .* run the command again.*$/u;
  const { code, out, err } = await run("import", newPath("new.db"), cut, "t");
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err.split("\n").filter((line) => !line.startsWith("copying"))).toEqual([
    expect.stringMatching(failed),
    "",
  ]);
});
