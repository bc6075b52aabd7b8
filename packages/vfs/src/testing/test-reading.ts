import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Backend } from "../backend.js";
import { anyText, badPaths, hex } from "./arbitraries.js";
import type { TestBackendOptions } from "./test-backend-options.js";

async function readByLines(
  backend: Backend,
  path: string,
  limit: number,
): Promise<{ text: string; lines: number }> {
  const pages: string[] = [];
  let lines = 0;
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page = await backend.read(path, offset, limit);
    expect(page.error).toBeUndefined();
    pages.push(String(page.content));
    lines = page.endLine ?? lines;
    offset = page.nextOffset;
  }
  return { text: pages.join(""), lines };
}

async function readByBytes(backend: Backend, path: string, step: number): Promise<string> {
  const pages: string[] = [];
  let start = 0;
  for (let size = 1; start < size;) {
    const page = await backend.readBytes(path, { start, end: start + step });
    expect(page.error).toBeUndefined();
    pages.push(page.content ?? "");
    size = page.size ?? 0;
    start = page.range?.end ?? size;
  }
  return pages.join("");
}

/** Laws of `ls`, `read`, `readBytes`, `readRaw` and `downloadFiles`. */
export function testReading(create: TestBackendOptions["create"], numRuns: number): void {
  it("returns pages of lines that concatenate to the file", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 5 }), async (text, limit) => {
        const backend = await create({ "/file.txt": text });
        const { text: paged, lines } = await readByLines(backend, "/file.txt", limit);
        expect(paged).toBe(text);
        const total = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
        expect(lines).toBe(total);
        expect((await backend.read("/file.txt")).totalLines).toBe(total);
      }),
      { numRuns },
    );
  });

  it("returns pages of bytes that concatenate to the file, for any page size", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 9 }), async (text, step) => {
        const backend = await create({ "/file.txt": text });
        expect(await readByBytes(backend, "/file.txt", step)).toBe(text);
      }),
      { numRuns },
    );
  });

  it("numbers lines from 1, takes an offset from 0, and returns the offset of the next page", async () => {
    const backend = await create({ "/a.md": "one\ntwo\nthree\n" });
    const page = { mimeType: "text/markdown", totalLines: 3 };
    expect(await backend.read("/a.md", 1, 1)).toEqual({
      ...page,
      content: "two\n",
      startLine: 2,
      endLine: 2,
      nextOffset: 2,
    });
    expect(await backend.read("/a.md", 2, 9)).toEqual({
      ...page,
      content: "three\n",
      startLine: 3,
      endLine: 3,
    });
    expect((await backend.read("/a.md", 3)).error).toContain("3 lines");
  });

  it("reads the end of a one-line file of 800,000 bytes from a character boundary", async () => {
    const text = `["${"é".repeat(400_000)}needle"]`;
    const backend = await create({ "/big.json": text });
    const size = Buffer.byteLength(text);
    expect(await backend.readBytes("/big.json", { start: size - 9, end: size + 50 })).toEqual({
      content: 'éneedle"]',
      range: { start: size - 10, end: size },
      size,
    });
  });

  it("refuses an invalid byte range", async () => {
    const backend = await create({ "/a": "abc" });
    for (const range of [
      { start: 2, end: 1 },
      { start: -1, end: 1 },
      { start: 4, end: 9 },
      { start: 0.5, end: 1 },
    ]) {
      expect((await backend.readBytes("/a", range)).error).toContain("/a");
    }
  });

  it("lists the files of a directory, and each subdirectory once with a slash", async () => {
    const backend = await create({ "/b.md": "12", "/a/x": "", "/a/y/z": "" });
    const listed = (await backend.ls("/")).files?.map(({ path, is_dir, size }) => ({ path, is_dir, size }));
    expect(listed).toEqual([
      { path: "/a/", is_dir: true, size: 0 },
      { path: "/b.md", is_dir: false, size: 2 },
    ]);
    expect((await backend.ls("/a/")).files?.map(({ path }) => path)).toEqual(["/a/x", "/a/y/"]);
    expect((await backend.ls("/b.md")).files?.map(({ path }) => path)).toEqual(["/b.md"]);
  });

  it("returns whole files as text and as bytes", async () => {
    const backend = await create({ "/a.json": "\uFEFF{}\r\n" });
    expect((await backend.readRaw("/a.json")).data).toMatchObject({
      content: "\uFEFF{}\r\n",
      mimeType: "application/json",
    });
    const [there, missing, directory] = await backend.downloadFiles(["/a.json", "/none", "/"]);
    expect(hex(there?.content)).toBe(hex(Buffer.from("\uFEFF{}\r\n")));
    expect([there?.error, missing?.error, directory?.error]).toEqual([
      null,
      "file_not_found",
      "is_directory",
    ]);
  });

  it("names the path in the error for a missing file or a directory", async () => {
    const backend = await create({ "/dir/file": "" });
    const missing = [
      backend.read("/no"),
      backend.readRaw("/no"),
      backend.ls("/no"),
      backend.glob("*", "/no"),
    ];
    for (const { error } of await Promise.all(missing)) expect(error).toContain("/no does not exist");
    expect((await backend.read("/dir")).error).toContain("/dir is a directory");
  });

  it.each(badPaths.map((path) => [path.slice(0, 20), path]))("returns an error for %j", async (_, path) => {
    const backend = await create({ "/a": "" });
    const range = { start: 0, end: 1 };
    const reads = [
      backend.ls(path),
      backend.read(path),
      backend.readBytes(path, range),
      backend.readRaw(path),
    ];
    const results = await Promise.all([...reads, backend.glob("*", path), backend.grep("x", path)]);
    for (const { error } of results) expect(error).toMatch(/\w+.*\./);
    expect((await backend.downloadFiles([path]))[0]?.error).toBe("invalid_path");
  });
}
