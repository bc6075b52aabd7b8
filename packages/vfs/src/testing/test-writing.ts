import * as fc from "fast-check";
import { expect, it } from "vitest";
import { anyBytes, anyText, badPaths, hex } from "./arbitraries.js";
import type { TestBackendOptions } from "./test-backend-options.js";

/** Laws of `write`, `edit`, `delete` and `uploadFiles`. */
export function testWriting(create: TestBackendOptions["create"], numRuns: number): void {
  testWrite(create, numRuns);
  testEdit(create, numRuns);
  testDelete(create);
}

function testWrite(create: TestBackendOptions["create"], numRuns: number): void {
  it("reads back any text that was written over another", async () => {
    const backend = await create({ "/d/file": "before" });
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(await backend.write("/d/file", text)).toEqual({ path: "/d/file" });
        expect((await backend.readRaw("/d/file")).data?.content).toBe(text);
      }),
      { numRuns },
    );
  });

  it("reads back any uploaded bytes", async () => {
    const backend = await create({});
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        expect(await backend.uploadFiles([["/d/file.bin", bytes]])).toEqual([
          { path: "/d/file.bin", error: null },
        ]);
        expect(hex((await backend.downloadFiles(["/d/file.bin"]))[0]?.content)).toBe(hex(bytes));
      }),
      { numRuns },
    );
  });

  it("returns a binary file as bytes", async () => {
    const backend = await create({});
    const bytes = Uint8Array.of(0x89, 0x50, 0, 0xff);
    await backend.uploadFiles([
      ["/a.png", bytes],
      ["/a.txt", bytes],
    ]);
    const [image, text] = [await backend.read("/a.png"), await backend.read("/a.txt")];
    expect([image.mimeType, text.mimeType]).toEqual(["image/png", "application/octet-stream"]);
    expect([image.content, text.content].map((content) => hex(Buffer.from(content ?? "")))).toEqual([
      hex(bytes),
      hex(bytes),
    ]);
    expect(await backend.grep("P")).toEqual({ matches: [] });
  });

  it("refuses text that UTF-8 cannot encode", async () => {
    const backend = await create({});
    expect((await backend.write("/a", "x\ud800y")).error).toContain("lone surrogate at character 1");
    expect((await backend.ls("/")).files).toEqual([]);
  });

  it("refuses to write a file over a directory, or below a file", async () => {
    const backend = await create({ "/dir/file": "kept" });
    expect((await backend.write("/dir", "x")).error).toContain("/dir is a directory");
    expect((await backend.write("/", "x")).error).toContain("/ is a directory");
    expect((await backend.write("/dir/file/below/this", "x")).error).toContain("/dir/file/below/this");
    expect((await backend.glob("**")).files).toHaveLength(1);
  });

  it.each(badPaths.map((path) => [path.slice(0, 20), path]))("returns an error for %j", async (_, path) => {
    const backend = await create({});
    const results = [backend.write(path, "x"), backend.edit(path, "x", "y"), backend.delete(path)];
    for (const { error } of await Promise.all(results)) expect(error).toMatch(/\w+.*\./);
    expect((await backend.uploadFiles([[path, new Uint8Array()]]))[0]?.error).toBe("invalid_path");
    expect((await backend.ls("/")).files).toEqual([]);
  });
}

function testEdit(create: TestBackendOptions["create"], numRuns: number): void {
  it("replaces exact text once, or everywhere with replaceAll", async () => {
    const backend = await create({ "/a": "one two one" });
    expect(await backend.edit("/a", "two", "2")).toEqual({ path: "/a", occurrences: 1 });
    expect(await backend.edit("/a", "one", "1", true)).toEqual({ path: "/a", occurrences: 2 });
    expect((await backend.read("/a")).content).toBe("1 2 1");
  });

  it("treats both texts as plain text", async () => {
    const backend = await create({});
    const dollars = fc.constantFrom("$&", "$'", "$`", "$$", "$1", "\\n", ".*", "😀");
    await fc.assert(
      fc.asyncProperty(anyText, dollars, dollars, async (text, oldString, newString) => {
        fc.pre(oldString !== newString);
        await backend.write("/a", `<${oldString}>${text}`);
        const edited = await backend.edit("/a", `<${oldString}>`, newString);
        expect(edited.occurrences).toBe(1 + text.split(`<${oldString}>`).length - 1);
        expect((await backend.readRaw("/a")).data?.content).toBe(newString + text);
      }),
      { numRuns },
    );
  });

  it("refuses text that is absent or not unique, with the count and the way out", async () => {
    const backend = await create({ "/a": "x\r\ny\r\nx" });
    expect((await backend.edit("/a", "z", "1")).error).toMatch(
      /\/a was not edited: "z" occurs 0 times\. Read/,
    );
    expect((await backend.edit("/a", "x", "1")).error).toMatch(/"x" occurs 2 times\. Add surrounding lines/);
    expect((await backend.edit("/a", "x\ny", "1")).error).toContain("\\r\\n");
    expect((await backend.edit("/a", "", "1")).error).toContain("empty");
    expect((await backend.edit("/a", "x", "x", true)).error).toContain("nothing to change");
    expect((await backend.edit("/none", "x", "y")).error).toContain("/none does not exist");
    expect((await backend.read("/a")).content).toBe("x\r\ny\r\nx");
  });

  it("keeps every one of many parallel edits", async () => {
    const words = Array.from({ length: 20 }, (_, index) => `<word ${index}>`);
    const backend = await create({ "/a": words.join("\n") });
    await Promise.all(words.map(async (word) => backend.edit("/a", word, word.toUpperCase())));
    expect((await backend.read("/a")).content).toBe(words.join("\n").toUpperCase());
  });

  it("refuses to edit bytes that are not text", async () => {
    const backend = await create({});
    const bytes = Uint8Array.of(0x61, 0xff);
    await backend.uploadFiles([["/a", bytes]]);
    expect((await backend.edit("/a", "a", "b")).error).toContain("not UTF-8");
    expect(hex((await backend.downloadFiles(["/a"]))[0]?.content)).toBe(hex(bytes));
  });
}

function testDelete(create: TestBackendOptions["create"]): void {
  it("deletes a file, or a directory with its content, and nothing that only shares its prefix", async () => {
    const backend = await create({ "/a": "", "/d/1": "", "/d/e/2": "", "/dd": "" });
    expect(await backend.delete("/a")).toEqual({ path: "/a" });
    expect(await backend.delete("/d/")).toEqual({ path: "/d" });
    expect((await backend.glob("**")).files?.map(({ path }) => path)).toEqual(["/dd"]);
    expect((await backend.delete("/a")).error).toContain("/a does not exist");
    expect((await backend.delete("/")).error).toContain("/ is");
  });
}

/** Laws of a backend that refuses every change. */
export function testReadOnly(create: TestBackendOptions["create"]): void {
  it("refuses every change with a reason, and changes nothing", async () => {
    const backend = await create({ "/d/a.md": "kept" });
    const changes = [
      backend.write("/d/a.md", "x"),
      backend.write("/new.md", "x"),
      backend.edit("/d/a.md", "kept", "x"),
      backend.delete("/d/a.md"),
      backend.delete("/d"),
    ];
    for (const { error } of await Promise.all(changes)) expect(error).toMatch(/^\/\S+ is read-only: .+\.$/);
    const uploaded = await backend.uploadFiles([["/new.md", new Uint8Array()]]);
    expect(uploaded).toEqual([{ path: "/new.md", error: "permission_denied" }]);
    expect((await backend.read("/d/a.md")).content).toBe("kept");
    expect((await backend.glob("**")).files).toHaveLength(1);
  });
}
