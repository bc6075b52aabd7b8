import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { Sqlite } from "./sqlite.js";

const directory = mkdtempSync(join(tmpdir(), "palimpsest-descriptors-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const count = () => readdirSync("/proc/self/fd").length;

describe.runIf(process.platform === "linux")("a SQLite file", () => {
  it("that was closed keeps no descriptors, however many are opened and closed", async () => {
    const before = count();
    for (let index = 0; index < 300; index++) {
      const file = new Sqlite(join(directory, `${index}.db`), {
        busyTimeout: 0,
        createError: (_, text) => new Error(text),
      });
      file.startLog();
      file.exec("CREATE TABLE t (x)");
      file.all("SELECT x FROM t");
      file.close();
      await new Promise(setImmediate);
    }
    await new Promise(setImmediate);
    expect(count() - before).toBeLessThan(150);
  });

  it("that reaches the limit of the process for the size of a file says so", () => {
    const script = `
      import { Sqlite } from ${JSON.stringify(fileURLToPath(new URL("../dist/sqlite.js", import.meta.url)))};
      try {
        const file = new Sqlite(process.argv[1], { busyTimeout: 0, createError: (failure, text) => Object.assign(new Error(text), { failure }) });
        file.startLog();
        file.exec("CREATE TABLE t (x)");
      } catch ({ failure, message }) { console.log(JSON.stringify({ failure, message })); }`;
    const path = join(directory, "limit.db");
    const command = `ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"`;
    const out = execFileSync("bash", ["-c", command, process.execPath, script, path], { encoding: "utf8" });
    expect(JSON.parse(out)).toMatchObject({
      failure: "disk-full",
      message: expect.stringMatching(
        /^\S+limit\.db could not be read or written: the disk is full or fails/u,
      ),
    });
  });
});
