import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DirectoryBackend } from "../backends/driver-backend.js";
import { comparePaths } from "../paths.js";
import { testDriver } from "../testing/index.js";
import { DirectoryDriver } from "./directory-driver.js";

const base = mkdtempSync(join(tmpdir(), "vfs-driver-"));
const fresh = (): string => mkdtempSync(join(base, "d-"));
const bytes = new TextEncoder().encode("secret");
afterAll(() => rmSync(base, { recursive: true, force: true }));

testDriver({ name: "directory", create: () => new DirectoryDriver(fresh()), numRuns: 15 });

async function listed(driver: DirectoryDriver, prefix = "/"): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of driver.list(prefix)) paths.push(entry.path);
  const inAnyOrder: string[] = [];
  for await (const page of driver.listPaths(prefix)) inAnyOrder.push(...page);
  expect(inAnyOrder.toSorted(comparePaths)).toEqual(paths);
  return paths;
}

describe("DirectoryDriver", () => {
  it("creates its directory, and refuses one where it cannot write", () => {
    const root = fresh();
    expect(new DirectoryDriver(join(root, "not/yet/there")).name).toBe("directory");
    writeFileSync(join(root, "file"), "");
    expect(() => new DirectoryDriver(join(root, "file"))).toThrow(
      /file cannot be written \(EEXIST\)\. Give a/,
    );
    expect(() => new DirectoryDriver(join(root, "file/below"))).toThrow(
      expect.objectContaining({ code: "unwritable" }),
    );
  });

  it.each(["", " ", undefined])("refuses the path %j, which resolves to the working directory", (path) => {
    expect(() => new DirectoryDriver(path as string)).toThrow(
      expect.objectContaining({ code: "invalid-path" }),
    );
  });

  it("returns a file of several megabytes whole, in ranges of any size, and among small ones", async () => {
    const driver = new DirectoryDriver(fresh());
    const large = Buffer.alloc(2_500_000, "0123456789abc");
    await driver.writeAll([
      { path: "/large", bytes: large },
      { path: "/small", bytes },
    ]);
    const ranges = [
      [0, 2_500_000],
      [7, 1_000_007],
      [3, 1_000_004],
      [2_499_999, 3_000_000],
    ] as const;
    for (const [start, end] of ranges) {
      const read = await driver.read("/large", { start, end });
      expect(large.subarray(start, end).equals(read ?? Buffer.alloc(0))).toBe(true);
    }
    const [whole, small] = await driver.readAll(["/large", "/small"]);
    expect([large.equals(whole ?? Buffer.alloc(0)), small]).toEqual([true, bytes]);
    expect(large.equals((await driver.read("/large")) ?? Buffer.alloc(0))).toBe(true);
  });

  it("leaves no temporary files, and hides and refuses those of a killed process", async () => {
    const root = fresh();
    const driver = new DirectoryDriver(root);
    await driver.write("/a", bytes);
    await driver.write("/a", bytes, { ifAbsent: true });
    expect(readdirSync(root)).toEqual(["a"]);
    writeFileSync(join(root, ".palimpsest-x.tmp"), "half");
    expect(await listed(driver)).toEqual(["/a"]);
    await expect(driver.read("/.palimpsest-x.tmp")).rejects.toMatchObject({ code: "invalid-path" });
  });

  it("refuses to read or write through links that leave the root, and does not list them", async () => {
    const [root, outside] = [fresh(), fresh()];
    const driver = new DirectoryDriver(root);
    writeFileSync(join(outside, "secret"), "kept");
    symlinkSync(outside, join(root, "dir"));
    symlinkSync(join(outside, "secret"), join(root, "file"));
    for (const path of ["/file", "/dir/secret", "/dir/new", "/dir/new/er"]) {
      await expect(driver.write(path, bytes)).rejects.toMatchObject({ code: "invalid-path" });
    }
    for (const path of ["/file", "/dir/secret"]) {
      await expect(driver.read(path)).rejects.toMatchObject({ code: "invalid-path" });
      await expect(driver.delete(path)).rejects.toMatchObject({ code: "invalid-path" });
    }
    expect(await listed(driver)).toEqual([]);
    await expect(listed(driver, "/dir")).rejects.toMatchObject({ code: "invalid-path" });
    expect(readdirSync(outside)).toEqual(["secret"]);
  });

  it("follows links to files inside the root, and lists no directory twice", async () => {
    const root = fresh();
    const driver = new DirectoryDriver(root);
    await driver.write("/real/file", bytes);
    symlinkSync(join(root, "real/file"), join(root, "link"));
    symlinkSync(root, join(root, "real/loop"));
    symlinkSync(join(root, "circle"), join(root, "circle"));
    expect(await listed(driver)).toEqual(["/link", "/real/file"]);
    expect(await driver.read("/link")).toEqual(bytes);
    await driver.write("/link", new Uint8Array([1]));
    expect(await driver.read("/real/file")).toEqual(new Uint8Array([1]));
  });

  it("deletes a link to a directory, and nothing of what it leads to", async () => {
    const root = fresh();
    const backend = new DirectoryBackend(root);
    for (const path of ["/real/file", "/real/below/file", "/modules/other"])
      await backend.write(path, "kept");
    symlinkSync(join(root, "real"), join(root, "modules/real"));
    expect(await backend.delete("/modules/real")).toEqual({ path: "/modules/real" });
    expect(readdirSync(join(root, "modules"))).toEqual(["other"]);
    symlinkSync(join(root, "real"), join(root, "modules/real"));
    await backend.delete("/modules");
    expect((await backend.glob("**")).files?.map(({ path }) => path)).toEqual([
      "/real/below/file",
      "/real/file",
    ]);
    expect(await backend.delete("/real/below")).toEqual({ path: "/real/below" });
    expect(await backend.delete("/real/below")).toMatchObject({
      error: expect.stringContaining("not exist"),
    });
  });

  it("refuses a path that is a directory or lies below a file", async () => {
    const root = fresh();
    const driver = new DirectoryDriver(root);
    mkdirSync(join(root, "dir"));
    await driver.write("/file", bytes);
    await expect(driver.write("/dir", bytes)).rejects.toMatchObject({ code: "is-directory" });
    await expect(driver.write("/dir", bytes, { ifAbsent: true })).rejects.toMatchObject({
      code: "is-directory",
    });
    await expect(driver.write("/file/below", bytes)).rejects.toMatchObject({ code: "not-directory" });
  });

  it.each(["power", "process"] as const)(
    "with durability %s keeps what another driver of the directory deletes or replaces after a batch",
    async (durability) => {
      const root = fresh();
      const [first, second] = [0, 1].map(() => new DirectoryDriver(root, { durability }));
      const batch = ["/t/1", "/t/2", "/u/3"].map((path) => ({ path, bytes }));
      await first?.writeAll(batch);
      await second?.delete("/t/1");
      await second?.write("/t/2", new Uint8Array([1]));
      const after = new DirectoryDriver(root);
      expect(await after.readAll(["/t/1", "/t/2", "/u/3"])).toEqual([undefined, new Uint8Array([1]), bytes]);
      expect(await listed(after)).toEqual(["/t/2", "/u/3"]);
      await expect(after.read("/.palimpsest-journal/x")).rejects.toMatchObject({ code: "invalid-path" });
    },
  );

  it("refuses an unknown durability", () => {
    expect(() => new DirectoryDriver(fresh(), { durability: "none" as never })).toThrow(
      'durability is "none". Pass "power" or "process".',
    );
  });

  it("loses no write when files of one directory are written and deleted in parallel", async () => {
    const driver = new DirectoryDriver(fresh());
    const rounds = Array.from({ length: 40 }, (_, index) => `/busy/${index}`);
    await Promise.all(
      rounds.map(async (path, index) => {
        await driver.write(path, bytes);
        return index % 2 === 0 ? driver.delete(path) : true;
      }),
    );
    expect(await listed(driver)).toHaveLength(20);
  });
});
