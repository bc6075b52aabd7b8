import { VfsSaver } from "@palimpsest/checkpoint";
import Database from "libsql";
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "./testing/run.js";
import { newPath, removePaths, writeThread } from "./testing/written-storage.js";

afterAll(removePaths);
const path = newPath();
beforeAll(async () => {
  const saver = VfsSaver.fromPath(path);
  await writeThread(saver, "one", 2);
  await saver.close();
});

/** Every command with arguments that are right for an intact storage. */
const commands: readonly (readonly [verb: string, ...args: readonly string[]])[] = [
  ["inspect", "--report", newPath("report.html")],
  ["threads"],
  ["show", "one"],
  ["folds", "one"],
  ["search", "heron"],
  ["diff", "one", "1", "2"],
  ["bill", "one"],
  ["stats"],
  ["export", "one"],
  ["export", "--saver", newPath("saver.db")],
  ["verify"],
  ["verify", "--repair", newPath("repaired.db")],
  ["prune", "one", "--keep", "1"],
  ["backup", newPath("backup.db")],
];

function storage(change: (file: string) => void): string {
  const file = newPath("bad.db");
  copyFileSync(path, file);
  change(file);
  return file;
}

function execute(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

const storages: readonly (readonly [name: string, make: () => string, message: RegExp])[] = [
  [
    "a file of a newer version",
    () => storage((file) => execute(file, "PRAGMA user_version = 99")),
    /has version 99 and this package knows \d+\. Update @palimpsest\/checkpoint/u,
  ],
  [
    "a database of another application",
    () => storage((file) => execute(file, "PRAGMA application_id = 1")),
    /is a database of another application\. Pass another path/u,
  ],
  [
    "a file that is no database",
    () => storage((file) => writeFileSync(file, "notes about herons, and no database\n".repeat(100))),
    /is not a SQLite database\. Give another path/u,
  ],
  ["an empty file", () => storage((file) => writeFileSync(file, "")), /is empty: .* Pass the path/u],
  [
    "a file of which the start of its first page is left",
    () => storage((file) => truncateSync(file, 1_000)),
    /is damaged\. Restore it from a copy/u,
  ],
  ["a directory", () => "/", /is a directory/u],
];

describe.each(storages)("%s", (_, make, message) => {
  it.each(commands)("is refused by %s in one line that names it and the way out", async (verb, ...args) => {
    const file = make();
    const before = file === "/" ? "" : readFileSync(file, "latin1");
    const { code, out, err } = await run(verb, file, ...args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.split("\n")).toEqual([expect.stringMatching(message), ""]);
    expect(err).toContain(`palimpsest: ${file} `);
    expect(file === "/" ? "" : readFileSync(file, "latin1")).toBe(before);
  });
});

it("a file of an older version, which only pre-releases wrote, is refused with the way out", async () => {
  const file = storage((copy) => execute(copy, "PRAGMA user_version = 1"));
  const { code, err } = await run("threads", file);
  expect(code).toBe(1);
  expect(err).toMatch(
    /has version 1, which a pre-release wrote.* Use another file, or copy the threads that you need/u,
  );
});

it("a file that another process has locked is refused by a reader after a few seconds, with the way out", async () => {
  const file = storage(() => undefined);
  const other = new Database(file);
  other.exec("BEGIN EXCLUSIVE");
  const { code, err } = await run("threads", file);
  other.close();
  expect(code).toBe(1);
  expect(err).toContain(`${file} is locked by another writer. Try again`);
  expect(err).not.toMatch(/^ {4}at /mu);
});

const server = process.env["PALIMPSEST_POSTGRES_URL"];

it.runIf(server)("a missing Postgres database is refused in one line without the password", async () => {
  const url = new URL(server ?? "");
  [url.pathname, url.password] = ["/herons", "secret"];
  const { code, err } = await run("threads", url.href);
  expect(code).toBe(1);
  expect(err).toContain('Create it, or correct the url. (database "herons" does not exist)');
  expect(err).not.toContain("secret");
  expect(err).not.toMatch(/^ {4}at /mu);
});
