import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { Sqlite } from "./sqlite.js";
import type { SqlFailure } from "./sql-failure.js";

const directory = mkdtempSync(join(tmpdir(), "palimpsest-sql-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
const newPath = (name = "x.db"): string => join(directory, `${files++}-${name}`);

const open = (path: string, busyTimeout = 0): Sqlite =>
  new Sqlite(path, {
    busyTimeout,
    createError: (failure: SqlFailure, message: string) => Object.assign(new Error(message), { failure }),
  });

const count = (of: Sqlite): unknown => of.get("SELECT count(*) AS n FROM t")?.["n"];

describe("a SQLite file", () => {
  it("keeps all of a transaction or nothing of it", () => {
    const file = open(newPath());
    file.exec("CREATE TABLE t (x)");
    file.write(() => file.run("INSERT INTO t VALUES (1)"));
    const failing = (): unknown =>
      file.write(() => {
        file.run("INSERT INTO t VALUES (2)");
        throw new Error("stop: the database is locked, says a caller");
      });
    expect(failing).toThrow(/^stop: the database is locked, says a caller$/);
    expect(file.all("SELECT x FROM t").map(({ x }) => x)).toEqual([1]);
    file.close();
  });

  it("runs a statement again after it has failed", () => {
    const file = open(newPath());
    file.exec("CREATE TABLE t (x)");
    const sql = "SELECT abs(CAST(? AS INTEGER)) AS x";
    const write = `INSERT INTO t ${sql}`;
    const runs: readonly ((value: string) => unknown)[] = [
      (value) => file.get(sql, value)?.["x"],
      (value) => file.all(sql, value)[0]?.["x"],
      (value) => file.get(`${write} RETURNING x`, value)?.["x"],
      (value) => file.run(write, value).changes,
    ];
    for (const run of runs) {
      expect(run("1")).toBe(1);
      expect(() => run("-9223372036854775808")).toThrow("integer overflow");
      expect(run("1")).toBe(1);
    }
    file.close();
  });

  it("reads the newest state and writes after it has found the file locked", () => {
    const path = newPath();
    const [one, other] = [open(path), open(path)];
    one.startLog();
    one.exec("CREATE TABLE t (x)");
    for (let round = 0; round < 3; round++) {
      one.run("BEGIN IMMEDIATE");
      one.run("INSERT INTO t VALUES (1)");
      expect(() => other.write(() => other.run("INSERT INTO t VALUES (2)"))).toThrow("locked");
      one.run("COMMIT");
      expect(count(other)).toBe(3 * round + 1);
      one.run("INSERT INTO t VALUES (3)");
      expect(count(other)).toBe(3 * round + 2);
      other.write(() => other.run("INSERT INTO t VALUES (4)"));
    }
    expect(count(one)).toBe(9);
    for (const file of [one, other]) file.close();
  });

  it("reads the state of one moment, whatever others write meanwhile", () => {
    const path = newPath();
    const [reader, writer] = [open(path), open(path)];
    writer.startLog();
    writer.exec("CREATE TABLE t (x)");
    const counts = reader.read(() => {
      const before = reader.get("SELECT count(*) AS rows FROM t")?.["rows"];
      writer.run("INSERT INTO t VALUES (1)");
      return [before, reader.get("SELECT count(*) AS rows FROM t")?.["rows"]];
    });
    expect(counts).toEqual([0, 0]);
    expect(reader.get("SELECT count(*) AS rows FROM t")?.["rows"]).toBe(1);
    for (const file of [reader, writer]) file.close();
  });

  it("commits together what is written while work runs, also if the work throws", async () => {
    const path = newPath();
    const [file, other] = [open(path), open(path)];
    file.startLog();
    file.exec("CREATE TABLE t (x)");
    const write = (value: number): unknown => file.write(() => file.run("INSERT INTO t VALUES (?)", value));
    const seen = await file.together(async () => {
      write(1);
      await Promise.resolve();
      write(2);
      return [file.read(() => count(file)), count(other)];
    });
    expect(seen).toEqual([2, 0]);
    expect(count(other)).toBe(2);
    const failing = file.together(async () => {
      write(3);
      throw new Error("the work ends early");
    });
    await expect(failing).rejects.toThrow("the work ends early");
    expect(count(other)).toBe(3);
    write(4);
    expect(count(other)).toBe(4);
  });

  it("keeps nothing of what was written together once a write fails, and is closed", async () => {
    const path = newPath();
    const [file, other] = [open(path), open(path)];
    file.startLog();
    file.exec("CREATE TABLE t (x)");
    const caught = file.together(async () => {
      file.write(() => file.run("INSERT INTO t VALUES (1)"));
      const failed = (): unknown => file.write(() => file.run("INSERT INTO missing VALUES (1)"));
      expect(failed).toThrow(/no such table/);
      expect(() => file.write(() => file.run("INSERT INTO t VALUES (2)"))).toThrow(/no such table/);
    });
    await expect(caught).rejects.toThrow(/no such table/);
    expect(file.isClosed).toBe(true);
    expect(other.get("SELECT count(*) AS n FROM t")).toMatchObject({ n: 0 });
  });

  it("says that another writer has the lock", () => {
    const path = newPath("FULL.db");
    const [one, other] = [open(path), open(path)];
    one.exec("CREATE TABLE t (x)");
    one.write(() => {
      expect(() => other.write(() => undefined)).toThrow(expect.objectContaining({ failure: "busy" }));
    });
    for (const file of [one, other]) file.close();
  });

  it("waits for another writer without holding the event loop", async () => {
    const path = newPath();
    const options = { createError: (failure: SqlFailure) => Object.assign(new Error(), { failure }) };
    const one = new Sqlite(path, { ...options, busyTimeout: 0 });
    const other = new Sqlite(path, { ...options, busyTimeout: 60_000 });
    other.blockAtMost(0);
    one.exec("CREATE TABLE t (x)");
    one.exec("BEGIN IMMEDIATE");
    const written = other.whenFree(() => other.write(() => other.run("INSERT INTO t VALUES (1)")));
    let turns = 0;
    for (; turns < 20; turns++) await new Promise((resolve) => setTimeout(resolve, 1));
    one.exec("ROLLBACK");
    expect(await written).toMatchObject({ changes: 1 });
    expect(turns).toBe(20);
    for (const file of [one, other]) file.close();
  });

  it("waits for another writer although the clock of the system jumps ahead", async () => {
    const path = newPath();
    const [one, other] = [open(path), open(path, 60_000)];
    other.blockAtMost(0);
    one.exec("CREATE TABLE t (x)");
    one.exec("BEGIN IMMEDIATE");
    vi.useFakeTimers({ toFake: ["Date"] });
    const written = other.whenFree(() => other.write(() => other.run("INSERT INTO t VALUES (1)")));
    vi.setSystemTime(Date.now() + 86_400_000);
    await new Promise((resolve) => setTimeout(resolve, 60));
    vi.useRealTimers();
    one.exec("ROLLBACK");
    expect(await written).toMatchObject({ changes: 1 });
    for (const file of [one, other]) file.close();
  });

  it("gives up waiting after the busyTimeout, and repeats no other failure", async () => {
    const path = newPath();
    const [one, other] = [open(path), open(path, 30)];
    one.exec("CREATE TABLE t (x)");
    one.exec("BEGIN IMMEDIATE");
    const locked = other.whenFree(() => other.write(() => undefined));
    await expect(locked).rejects.toMatchObject({ failure: "busy" });
    one.exec("ROLLBACK");
    let runs = 0;
    const failing = other.whenFree(() => {
      runs += 1;
      throw new Error("database is locked, says a caller");
    });
    await expect(failing).rejects.toThrow("says a caller");
    expect(runs).toBe(1);
    for (const file of [one, other]) file.close();
  });

  it("says that it is damaged when a table or a column is missing", () => {
    const file = open(newPath());
    file.exec("CREATE TABLE t (x)");
    for (const sql of ["SELECT y FROM t", "SELECT x FROM u", "INSERT INTO t (y) VALUES (1)"])
      expect(() => file.exec(sql)).toThrow(expect.objectContaining({ failure: "corrupt" }));
    file.close();
  });

  it("says that it is closed, whatever its name", () => {
    const file = open(newPath("FULL.db"));
    file.close();
    expect(() => file.exec("SELECT 1")).toThrow(expect.objectContaining({ failure: "closed" }));
  });

  it("says that a file is no database, and that a directory is missing", () => {
    const path = newPath();
    writeFileSync(path, "not a database, but long enough to be looked at ".repeat(100));
    expect(() => open(path).startLog()).toThrow(expect.objectContaining({ failure: "not-a-database" }));
    expect(() => open("/nowhere/at/all.db")).toThrow(expect.objectContaining({ failure: "not-a-database" }));
  });

  it("is one file at rest once its log is ended", () => {
    const path = newPath("rest.db");
    const file = open(path);
    file.startLog();
    file.exec("CREATE TABLE t (x)");
    file.endLog();
    file.close();
    expect(readdirSync(directory).filter((name) => name.includes("rest.db"))).toHaveLength(1);
  });
});
