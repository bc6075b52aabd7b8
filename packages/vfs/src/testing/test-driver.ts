import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MaybePromise } from "../backend.js";
import { pathsOf as pagesOf, readAll, writeAll } from "../drivers/file-driver.js";
import type { FileDriver } from "../drivers/file-driver.js";
import { FileError } from "../errors.js";
import { threadDirectory } from "../layout.js";
import { comparePaths } from "../paths.js";
import { VirtualFilesystem } from "../virtual-filesystem.js";
import { anyBytes, badPaths, hex } from "./arbitraries.js";

export interface TestDriverOptions {
  readonly name: string;
  /** Returns an empty driver. */
  readonly create: () => MaybePromise<FileDriver>;
  /** Returns the driver that another process has on the same storage. @default the same driver */
  readonly another?: (driver: FileDriver) => MaybePromise<FileDriver>;
  /** Runs of each property. @default 25 */
  readonly numRuns?: number;
}

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

async function pathsOf(driver: FileDriver, prefix: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of driver.list(prefix)) paths.push(entry.path);
  return paths;
}

/** The laws every FileDriver keeps, as a vitest suite. */
export function testDriver({
  name,
  create,
  another = (driver) => driver,
  numRuns = 25,
}: TestDriverOptions): void {
  describe(`driver: ${name}`, () => {
    describe("bytes", () => {
      testBytes(create, numRuns);
    });
    describe("ifAbsent", () => {
      testIfAbsent(create);
    });
    describe("many files", () => {
      testMany(create);
    });
    describe("keys of a thread", () => {
      testKeys(create, another);
    });
    describe("delete", () => {
      testDelete(create);
    });
    describe("list", () => {
      testList(create, numRuns);
    });
    describe("paths", () => {
      testPaths(create);
    });
  });
}

function testBytes(create: TestDriverOptions["create"], numRuns: number): void {
  it("returns the bytes that were written, and any range of them", async () => {
    const driver = await create();
    const position = fc.nat(400);
    await fc.assert(
      fc.asyncProperty(anyBytes, position, position, async (bytes, start, end) => {
        expect(await driver.write("/d/file", bytes)).toBe(true);
        expect(hex(await driver.read("/d/file"))).toBe(hex(bytes));
        expect(hex(await driver.read("/d/file", { start, end }))).toBe(hex(bytes.slice(start, end)));
        expect((await driver.stat("/d/file"))?.size).toBe(bytes.length);
      }),
      { numRuns },
    );
  });

  it("copies the bytes it takes and returns", async () => {
    const driver = await create();
    const given = text("kept");
    await driver.write("/file", given);
    given.fill(0);
    (await driver.read("/file"))?.fill(0);
    expect(hex(await driver.read("/file"))).toBe(hex(text("kept")));
  });

  it("returns the time of the last write", async () => {
    const driver = await create();
    await driver.write("/file", text("x"));
    const at = (await driver.stat("/file"))?.modifiedAt ?? "";
    expect(new Date(at).toISOString()).toBe(at);
    expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000);
  });

  it("finds no file where none was written, nor at a directory", async () => {
    const driver = await create();
    await driver.write("/dir/file", text("x"));
    for (const path of ["/none", "/dir", "/", "/dir/file/below"]) {
      expect(await driver.stat(path)).toBeUndefined();
      expect(await driver.read(path)).toBeUndefined();
      expect(await driver.delete(path)).toBe(false);
    }
  });

  it("deletes a file once, and lets a file replace an emptied directory", async () => {
    const driver = await create();
    await driver.write("/a/b/c", text("x"));
    expect(await driver.delete("/a/b/c")).toBe(true);
    expect(await driver.delete("/a/b/c")).toBe(false);
    expect(await driver.write("/a", text("now a file"), { ifAbsent: true })).toBe(true);
    expect(await pathsOf(driver, "/")).toEqual(["/a"]);
  });
}

function testIfAbsent(create: TestDriverOptions["create"]): void {
  it("leaves an existing file untouched", async () => {
    const driver = await create();
    expect(await driver.write("/file", text("first"), { ifAbsent: true })).toBe(true);
    expect(await driver.write("/file", text("second"), { ifAbsent: true })).toBe(false);
    expect(hex(await driver.read("/file"))).toBe(hex(text("first")));
    expect(await driver.write("/file", text("third"))).toBe(true);
    expect(hex(await driver.read("/file"))).toBe(hex(text("third")));
  });

  it("returns true to exactly one of many parallel writers, and keeps its bytes whole", async () => {
    const driver = await create();
    const writers = Array.from({ length: 16 }, (_, index) => text(`writer ${index} `.repeat(1000)));
    const won = await Promise.all(
      writers.map(async (bytes) => driver.write("/file", bytes, { ifAbsent: true })),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(hex(await driver.read("/file"))).toBe(hex(writers[won.indexOf(true)]));
  });

  it("loses nothing when 64 writers add files to one directory in parallel", async () => {
    const driver = await create();
    const paths = Array.from({ length: 64 }, (_, index) => `/shared/${String(index).padStart(2, "0")}`);
    await Promise.all(paths.map(async (path) => driver.write(path, text(path), { ifAbsent: true })));
    expect(await pathsOf(driver, "/shared")).toEqual(paths);
    const kept = await Promise.all(paths.map(async (path) => driver.read(path)));
    expect(kept.map(hex)).toEqual(paths.map((path) => hex(text(path))));
  });
}

function testMany(create: TestDriverOptions["create"]): void {
  it("are written at once, read at once in the order of the paths, and deleted", async () => {
    const driver = await create();
    const files = Array.from({ length: 40 }, (_, index) => ({
      path: `/d${index % 3}/file-${index}`,
      bytes: text(`${index} `.repeat(index * index)),
    }));
    await writeAll(driver, files);
    const paths = files.map(({ path }) => path).toReversed();
    const found = await readAll(driver, [...paths, "/none", "/d0", "/d0/file-0/below"]);
    expect(found.slice(0, 40).map(hex)).toEqual(files.map(({ bytes }) => hex(bytes)).toReversed());
    expect(found.slice(40)).toEqual([undefined, undefined, undefined]);
    expect(await pathsOf(driver, "/")).toEqual(paths.toSorted(comparePaths));
    for (const path of paths) expect(await driver.delete(path)).toBe(true);
    expect(await pathsOf(driver, "/")).toEqual([]);
  });

  it("leave those that exist, and are written again", async () => {
    const driver = await create();
    await driver.write("/d/1", text("first"));
    const files = ["1", "2"].map((name) => ({ path: `/d/${name}`, bytes: text("second") }));
    await Promise.all([writeAll(driver, files), writeAll(driver, files)]);
    await writeAll(driver, files);
    expect((await readAll(driver, ["/d/1", "/d/2"])).map(hex)).toEqual(
      [text("first"), text("second")].map(hex),
    );
    await driver.write("/d/2", text("third"));
    expect(hex(await driver.read("/d/2"))).toBe(hex(text("third")));
  });

  it("are refused with one bad path among them", async () => {
    const driver = await create();
    const files = ["/good", "/../bad"].map((path) => ({ path, bytes: text("x") }));
    await expect(writeAll(driver, files)).rejects.toMatchObject({ code: "invalid-path" });
    await expect(readAll(driver, ["/good", "/../bad"])).rejects.toMatchObject({ code: "invalid-path" });
  });
}

function testKeys(
  create: TestDriverOptions["create"],
  another: Required<TestDriverOptions>["another"],
): void {
  it("that two processes create at once are accepted by both, and by later ones", async () => {
    const driver = await create();
    for (const threadId of Array.from({ length: 8 }, (_, index) => `thread ${index}`)) {
      const drivers = [driver, await another(driver), await another(driver)];
      const seals = drivers.map((each) => new VirtualFilesystem({ driver: each }).seal(threadId));
      const made = await Promise.all(seals.map(async (seal) => (await seal.signer())("fold", "text")));
      const later = new VirtualFilesystem({ driver: await another(driver) }).seal(threadId);
      for (const seal of [...seals, later])
        expect(await Promise.all(made.map(async (one) => seal.verify("fold", "text", one)))).toEqual([
          true,
          true,
          true,
        ]);
      expect(await later.verify("fold", "other text", made[0])).toBe(false);
    }
  });

  it("that another process has deleted with the thread are stored again with the next seal", async () => {
    const driver = await create();
    const seal = new VirtualFilesystem({ driver }).seal("t");
    const before = (await seal.signer())("fold", "text");
    for (const path of await pathsOf(driver, threadDirectory("t"))) await driver.delete(path);
    const after = (await seal.signer())("fold", "text");
    const later = new VirtualFilesystem({ driver: await another(driver) }).seal("t");
    const verified = [before, after].map(async (each) => later.verify("fold", "text", each));
    expect(await Promise.all(verified)).toEqual([true, true]);
  });

  it("are missed in a thread that has files, and not in a new one", async () => {
    const driver = await create();
    const seal = "A".repeat(43);
    const process = () => new VirtualFilesystem({ driver });
    expect(await process().seal("t").verify("fold", "text", seal)).toBe(false);
    await process().archive("t").append("/context/history/1.md", "text");
    expect(await process().seal("t").verify("fold", "text", seal)).toBe(false);
    for (const path of await pathsOf(driver, `${threadDirectory("t")}/keys`)) await driver.delete(path);
    await expect(process().seal("t").verify("fold", "text", seal)).rejects.toMatchObject({
      code: "missing-key",
    });
    await expect(process().seal("t").signer()).rejects.toMatchObject({ code: "missing-key" });
    await expect(process().archive("t").append("/context/history/2.md", "text")).rejects.toMatchObject({
      code: "missing-key",
    });
  });
}

function testDelete(create: TestDriverOptions["create"]): void {
  it("keeps a file that was written after ifWrittenBy", async () => {
    const driver = await create();
    await driver.write("/d/file", text("old"));
    const before = (await driver.stat("/d/file"))?.modifiedAt ?? "";
    const earlier = new Date(Date.parse(before) - 1).toISOString();
    expect(await driver.delete("/d/file", { ifWrittenBy: earlier })).toBe(false);
    expect(hex(await driver.read("/d/file"))).toBe(hex(text("old")));
    expect(await driver.delete("/d/file", { ifWrittenBy: before })).toBe(true);
    expect(await driver.read("/d/file")).toBeUndefined();
    expect(await driver.delete("/d/file", { ifWrittenBy: before })).toBe(false);
  });

  it("never deletes a parallel write with ifWrittenBy", async () => {
    const driver = await create();
    for (let round = 0; round < 8; round++) {
      await driver.write("/d/file", text("old"));
      const by = (await driver.stat("/d/file"))?.modifiedAt ?? "";
      while (new Date().toISOString() <= by) await new Promise((resolve) => setTimeout(resolve, 1));
      await Promise.all([
        driver.delete("/d/file", { ifWrittenBy: by }),
        driver.write("/d/file", text("new")),
        driver.delete("/d/file", { ifWrittenBy: by }),
      ]);
      expect(hex(await driver.read("/d/file"))).toBe(hex(text("new")));
    }
  });
}

function testList(create: TestDriverOptions["create"], numRuns: number): void {
  it("yields the files below a directory, and none that only share its prefix", async () => {
    const driver = await create();
    for (const path of ["/a/1", "/a/b/2", "/ab", "/a.txt", "/a0/3"]) await driver.write(path, text(path));
    expect(await pathsOf(driver, "/a")).toEqual(["/a/1", "/a/b/2"]);
    expect(await pathsOf(driver, "/a/")).toEqual(["/a/1", "/a/b/2"]);
    expect(await pathsOf(driver, "/a/1")).toEqual([]);
    expect(await pathsOf(driver, "/none")).toEqual([]);
  });

  it("sorts by the bytes of the paths", async () => {
    const name = fc.constantFrom(
      "a",
      "a.b",
      "a b",
      "a-",
      "a0",
      "é",
      "漢",
      "\uFFFD",
      "😀",
      ".dot",
      "_",
      "~",
      "%27; --",
    );
    const driver = await create();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1e9),
        fc.uniqueArray(fc.tuple(name, name), { maxLength: 8 }),
        async (id, names) => {
          const paths = [...new Set(names.map(([directory, file]) => `/${id}/${directory}/${file}.x`))];
          await Promise.all(paths.map(async (path) => driver.write(path, text(path))));
          const listed = await pathsOf(driver, `/${id}`);
          expect(listed).toEqual([...paths].sort(comparePaths));
          expect(listed).toEqual([...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
          const inAnyOrder = [];
          for await (const page of pagesOf(driver, `/${id}`)) inAnyOrder.push(...page);
          expect(inAnyOrder.toSorted(comparePaths)).toEqual(listed);
          await Promise.all(paths.map(async (path) => driver.delete(path)));
        },
      ),
      { numRuns },
    );
  });

  it("returns size and time", async () => {
    const driver = await create();
    await driver.write("/a/é", text("four"));
    const entries = [];
    for await (const entry of driver.list("/")) entries.push(entry);
    expect(entries).toEqual([await driver.stat("/a/é")]);
  });
}

function testPaths(create: TestDriverOptions["create"]): void {
  it("reads /a//./b as /a/b", async () => {
    const driver = await create();
    await driver.write("/a//./b", text("x"));
    expect(hex(await driver.read("/a/c/../b"))).toBe(hex(text("x")));
  });

  it.each(badPaths.map((path) => [path.slice(0, 20), path]))("refuses %j", async (_, path) => {
    const driver = await create();
    const tries = [driver.stat(path), driver.read(path), driver.write(path, text("x")), driver.delete(path)];
    const codes = await Promise.all(
      [...tries, pathsOf(driver, path)].map(async (attempt) => attempt.then(String, codeOf)),
    );
    expect(codes).toEqual(Array.from(codes, () => "invalid-path"));
    expect(await pathsOf(driver, "/")).toEqual([]);
  });

  it("refuses to write to /", async () => {
    const driver = await create();
    await expect(driver.write("/", text("x"))).rejects.toMatchObject({ code: "is-directory" });
  });
}

function codeOf(error: unknown): string {
  return FileError.isInstance(error) ? error.code : String(error);
}
