import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Archive } from "./archive.js";
import { DirectoryDriver } from "./drivers/directory-driver.js";
import type { FileDriver } from "./drivers/file-driver.js";
import { MemoryDriver } from "./drivers/memory-driver.js";

const directory = mkdtempSync(join(tmpdir(), "vfs-archive-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function pathsOf(archive: Archive, prefix?: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of archive.list(prefix)) paths.push(path);
  return paths;
}

describe.each<[string, () => FileDriver]>([
  ["memory", () => new MemoryDriver()],
  ["directory", () => new DirectoryDriver(mkdtempSync(join(directory, "a-")))],
])("Archive over %s", (_, create) => {
  it("returns what was appended", async () => {
    const archive = new Archive(create(), "/threads/t");
    await archive.append("/context/results/a.md", "é\r\n");
    expect(await archive.readText("/context/results/a.md")).toBe("é\r\n");
    expect(await archive.readBytes("/context/results/a.md", { start: 2, end: 3 })).toEqual(Uint8Array.of(13));
    expect([await archive.has("/context/results/a.md"), await archive.has("/context/b")]).toEqual([
      true,
      false,
    ]);
    await expect(archive.readText("/context/b")).rejects.toMatchObject({ code: "not-found" });
  });

  it("returns several files as one by one, and rejects for one that is missing or damaged", async () => {
    const driver = create();
    const archive = new Archive(driver, "/threads/t");
    const paths = Array.from({ length: 40 }, (__, at) => `/context/results/${at}.md`);
    for (const path of paths) await archive.append(path, `of ${path}`);
    expect(await archive.readAll(paths)).toEqual(
      await Promise.all(paths.map(async (path) => archive.readBytes(path))),
    );
    await expect(archive.readAll([...paths, "/context/none"])).rejects.toMatchObject({ code: "not-found" });
    const named = "/context/results/r-0123456789abcdef.json";
    await driver.write(`/threads/t${named}`, Buffer.from("other"));
    await expect(archive.readAll([...paths, named])).rejects.toMatchObject({ code: "corrupt" });
  });

  it("accepts the same content again, also in parallel, and refuses other content", async () => {
    const archive = new Archive(create(), "/threads/t");
    await Promise.all(Array.from({ length: 16 }, async () => archive.append("/context/a", "first")));
    await expect(archive.append("/context/a", "other")).rejects.toMatchObject({ code: "exists" });
    await expect(archive.append("/context/a", "First")).rejects.toMatchObject({ code: "exists" });
    expect(await archive.readText("/context/a")).toBe("first");
    expect(await pathsOf(archive)).toEqual(["/context/a"]);
  });

  it("returns what was appended at once, and reports each file", async () => {
    const appended: string[] = [];
    const archive = new Archive(create(), "/threads/t", { onAppend: (path) => void appended.push(path) });
    const files = Array.from({ length: 50 }, (__, index) => ({
      path: `/context/results/${index}.txt`,
      content: `of ${index} é`,
    }));
    await archive.appendAll(files);
    await archive.appendAll(files);
    expect(await Promise.all(files.map(async ({ path }) => archive.readText(path)))).toEqual(
      files.map(({ content }) => content),
    );
    expect(appended).toEqual([...files, ...files].map(({ path }) => path));
    const other = [
      { path: "/context/results/51.txt", content: "new" },
      { ...files[7], content: "other" },
    ];
    await expect(archive.appendAll(other as typeof files)).rejects.toMatchObject({ code: "corrupt" });
    expect(await archive.readText("/context/results/7.txt")).toBe("of 7 é");
  });

  it("loses nothing when 64 threads append to one filesystem in parallel", async () => {
    const driver = create();
    const archives = Array.from({ length: 64 }, (__, index) => new Archive(driver, `/threads/t${index}`));
    await Promise.all(archives.map(async (archive, index) => archive.append("/context/a", `of ${index}`)));
    const texts = await Promise.all(archives.map(async (archive) => archive.readText("/context/a")));
    expect(texts).toEqual(archives.map((__, index) => `of ${index}`));
  });

  it("lists the entries below a directory", async () => {
    const archive = new Archive(create(), "/threads/t");
    for (const path of ["/context/h/1", "/context/h/2", "/context/r/1"]) await archive.append(path, path);
    expect(await pathsOf(archive, "/context/h")).toEqual(["/context/h/1", "/context/h/2"]);
    expect(await pathsOf(archive)).toHaveLength(3);
    expect(await pathsOf(archive, "/context")).toHaveLength(3);
  });

  it("refuses paths outside /context/, and text that UTF-8 cannot encode", async () => {
    const archive = new Archive(create(), "/threads/t");
    for (const path of ["/a", "/context", "/contexts/a", "/context/../a"]) {
      await expect(archive.append(path, "x")).rejects.toMatchObject({ code: "invalid-path" });
    }
    await expect(archive.append("/context/a", "\ud800")).rejects.toMatchObject({ code: "not-utf8" });
    await archive.append("/context/a", Uint8Array.of(0xff));
    await expect(archive.readText("/context/a")).rejects.toMatchObject({ code: "not-utf8" });
  });
});

describe("Archive", () => {
  it("detects an engine that acknowledges a write and keeps less", async () => {
    const driver = new MemoryDriver();
    const write = driver.write.bind(driver);
    driver.write = async (path, bytes, options) => write(path, bytes.slice(1), options);
    await expect(new Archive(driver, "/t").append("/context/a", "text")).rejects.toMatchObject({
      code: "corrupt",
    });
  });

  it("detects an engine that acknowledges a write and keeps other bytes of the same size", async () => {
    const driver = new MemoryDriver();
    const write = driver.write.bind(driver);
    driver.write = async (path, bytes, options) =>
      write(
        path,
        bytes.map((byte) => byte ^ 1),
        options,
      );
    await expect(new Archive(driver, "/t").append("/context/a", "text")).rejects.toMatchObject({
      code: "corrupt",
    });
  });

  it("finds changed bytes in a file that is named by its content, and in no other", async () => {
    const driver = new MemoryDriver();
    const archive = new Archive(driver, "/threads/t");
    const digest = createHash("sha256").update("text").digest("hex").slice(0, 16);
    const [path, other] = [`/context/results/a-${digest}.txt`, `/context/history/a-${digest}.md`];
    for (const each of [path, other]) await archive.append(each, "text");
    expect(await archive.readText(path)).toBe("text");
    for (const each of [path, other]) await driver.write(`/threads/t${each}`, Buffer.from("tezt"));
    await expect(archive.readText(path)).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining(`${path} in /threads/t is damaged`),
    });
    expect(await archive.readText(other)).toBe("tezt");
  });

  it("repairs a damaged file when the content with the digest in its name is appended again", async () => {
    const driver = new MemoryDriver();
    const appended: string[] = [];
    const archive = new Archive(driver, "/threads/t", { onAppend: (path) => void appended.push(path) });
    const digest = createHash("sha256").update("text").digest("hex").slice(0, 16);
    const [path, other] = [`/context/results/a-${digest}.txt`, "/context/history/a.md"];
    for (const each of [path, other]) await archive.append(each, "text");
    for (const each of [path, other]) await driver.write(`/threads/t${each}`, Buffer.from("tezt"));
    await expect(archive.append(path, "other")).rejects.toMatchObject({ code: "exists" });
    await expect(archive.append(other, "text")).rejects.toMatchObject({ code: "exists" });
    await archive.append(path, "text");
    expect(await archive.readText(path)).toBe("text");
    expect(appended).toEqual([path, other, path]);
  });
});
