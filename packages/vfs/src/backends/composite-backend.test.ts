import { describe, expect, it } from "vitest";
import type { GrepMatch } from "../backend.js";
import { MemoryDriver } from "../drivers/memory-driver.js";
import { testBackend } from "../testing/index.js";
import { CompositeBackend } from "./composite-backend.js";
import { DriverBackend, MemoryBackend } from "./driver-backend.js";
import type { MountableBackend } from "./mountable-backend.js";

async function memory(files: Readonly<Record<string, string>>): Promise<MemoryBackend> {
  const backend = new MemoryBackend();
  await Promise.all(Object.entries(files).map(async ([path, text]) => backend.write(path, text)));
  return backend;
}

/** A backend as in deepagents: plain results, the protocol's verbs only, and one text at /note.md. */
const foreign: MountableBackend = {
  ls: () => ({ files: [{ path: "/note.md" }] }),
  read: (path) => (path === "/note.md" ? { content: "plain\ntext" } : { error: `File '${path}' not found` }),
  readRaw: () => ({ data: { content: ["plain", "text"], created_at: "", modified_at: "" } }),
  write: () => {
    throw new Error("no space left");
  },
  edit: () => ({ error: "cannot edit" }),
  glob: () => ({ files: [{ path: "/note.md" }] }),
  grep: (pattern) => ({
    matches: [{ path: "/note.md", line: 1, text: "plain" }].filter((m) => m.text.includes(pattern)),
  }),
};

const paths = (entries: readonly { path: string }[] | undefined): string[] | undefined =>
  entries?.map(({ path }) => path);
const places = (matches: readonly GrepMatch[] | undefined): string[] | undefined =>
  matches?.map(({ path, line }) => `${path}:${line}`);

testBackend({ name: "composite", create: async (files) => new CompositeBackend(await memory(files)) });

describe("CompositeBackend", () => {
  it("routes a path to the longest prefix, and never /ab to /a", async () => {
    const [root, a, deep] = [new MemoryBackend(), new MemoryBackend(), new MemoryBackend()];
    const backend = new CompositeBackend(root, { "/a/": a, "/a/b": deep });
    for (const path of ["/ab", "/a/x", "/a/bc", "/a/b/y"])
      expect(await backend.write(path, path)).toEqual({ path });
    expect(paths((await root.glob("**")).files)).toEqual(["/ab"]);
    expect(paths((await a.glob("**")).files)).toEqual(["/bc", "/x"]);
    expect(paths((await deep.glob("**")).files)).toEqual(["/y"]);
    expect((await backend.read("/a/b/y")).content).toBe("/a/b/y");
  });

  it("lists mounts as directories, also empty and nested ones", async () => {
    const backend = new CompositeBackend(await memory({ "/z": "" }), {
      "/m": new MemoryBackend(),
      "/deep/er": await memory({ "/x": "" }),
    });
    expect(paths((await backend.ls("/")).files)).toEqual(["/deep/", "/m/", "/z"]);
    expect(paths((await backend.ls("/deep")).files)).toEqual(["/deep/er/"]);
    expect(paths((await backend.ls("/deep/er/")).files)).toEqual(["/deep/er/x"]);
    expect(await backend.ls("/m")).toEqual({ files: [] });
    expect((await backend.ls("/none")).error).toContain("/none does not exist");
  });

  it("hides files of the fallback below a mount", async () => {
    const backend = new CompositeBackend(await memory({ "/m/hidden": "x" }), {
      "/m": await memory({ "/shown": "x" }),
    });
    expect(paths((await backend.ls("/")).files)).toEqual(["/m/"]);
    expect(paths((await backend.glob("**")).files)).toEqual(["/m/shown"]);
    expect(paths((await backend.grep("x")).matches)).toEqual(["/m/shown"]);
  });

  it("searches the mounts below a path by full paths", async () => {
    const backend = new CompositeBackend(await memory({ "/a.md": "x", "/d/b.md": "x" }), {
      "/d/m": await memory({ "/c.md": "x\nx", "/e/f.txt": "x" }),
      "/other": await memory({ "/g.md": "x" }),
    });
    const globs: [string, string, string[]][] = [
      ["**/*.md", "/", ["/a.md", "/d/b.md", "/d/m/c.md", "/other/g.md"]],
      ["d/m/*", "/", ["/d/m/c.md"]],
      ["/d/**", "/", ["/d/b.md", "/d/m/c.md", "/d/m/e/f.txt"]],
      ["*/*", "/d", ["/d/m/c.md"]],
      ["*", "/d/m", ["/d/m/c.md"]],
    ];
    for (const [pattern, base, expected] of globs) {
      expect(paths((await backend.glob(pattern, base)).files)).toEqual(expected);
    }
    expect(places((await backend.grep("x", "/d")).matches)).toEqual([
      "/d/b.md:1",
      "/d/m/c.md:1",
      "/d/m/c.md:2",
      "/d/m/e/f.txt:1",
    ]);
    expect(places((await backend.grep("x", "/", "d/m/*.md")).matches)).toEqual([
      "/d/m/c.md:1",
      "/d/m/c.md:2",
    ]);
    expect(places((await backend.grep("x", "/d", "*.txt")).matches)).toEqual(["/d/m/e/f.txt:1"]);
    const cut = await backend.grep("x", "/d", null, 2);
    expect([places(cut.matches), cut.truncated]).toEqual([["/d/b.md:1", "/d/m/c.md:1"], true]);
    expect((await backend.grep("x", "/d", null, 4)).truncated).toBeUndefined();
  });

  it("names full paths in errors", async () => {
    const archive = new DriverBackend(new MemoryDriver(), {
      readOnly: "the archive is append-only. Write outside /context/.",
    });
    const backend = new CompositeBackend(new MemoryBackend(), { "/context": archive, "/f": foreign });
    const { error } = await backend.write("/context/x.md", "x");
    expect(error).toBe("/context/x.md is read-only: the archive is append-only. Write outside /context/.");
    expect((await backend.read("/context/x")).error).toContain("/context/x does not exist.");
    expect((await backend.read("/f/none")).error).toBe("File '/f/none' not found");
    expect((await backend.edit("/f/note.md", "a", "b")).error).toBe("/f/note.md: cannot edit");
    const dollars = new CompositeBackend(new MemoryBackend(), { "/$&": new MemoryBackend() });
    expect((await dollars.read("/$&/x")).error).toContain("/$&/x does not exist.");
  });

  it("refuses to delete a mount, or a directory that contains one", async () => {
    const backend = new CompositeBackend(await memory({ "/a/x": "" }), {
      "/a/m": await memory({ "/y": "" }),
    });
    for (const path of ["/", "/a", "/a/m"])
      expect((await backend.delete(path)).error).toContain("contains a mount");
    expect(paths((await backend.glob("**")).files)).toEqual(["/a/m/y", "/a/x"]);
    expect(await backend.delete("/a/m/y")).toEqual({ path: "/a/m/y" });
  });

  it("mounts deepagents' backends, and reports what they do not support", async () => {
    const backend = new CompositeBackend(await memory({ "/a": "plain" }), { "/f": foreign });
    expect(paths((await backend.ls("/f")).files)).toEqual(["/f/note.md"]);
    expect((await backend.read("/f/note.md")).content).toBe("plain\ntext");
    expect((await backend.readRaw("/f/note.md")).data).toMatchObject({
      content: "plain\ntext",
      mimeType: "text/markdown",
    });
    expect(paths((await backend.glob("**/*.md")).files)).toEqual(["/f/note.md"]);
    expect(places((await backend.grep("plain")).matches)).toEqual(["/a:1", "/f/note.md:1"]);
    expect((await backend.readBytes("/f/note.md", { start: 0, end: 1 })).error).toContain(
      "/f/note.md is in a mount",
    );
    expect((await backend.delete("/f/note.md")).error).toContain("does not support delete");
    expect((await backend.write("/f/x", "")).error).toContain("no space left");
    expect((await backend.uploadFiles([["/f/x", new Uint8Array()]]))[0]?.error).toBe("permission_denied");
    expect((await backend.downloadFiles(["/f/note.md"]))[0]?.error).toBe("permission_denied");
  });

  it("reports a mount that does not support the search options", async () => {
    const backend = new CompositeBackend(await memory({ "/a": "plain" }), { "/f": foreign });
    expect((await backend.grep("pl.*", "/f", null, null, { regex: true })).error).toContain(
      "/f supports plain text searches only",
    );
    const all = await backend.grep("pl.*", "/", null, null, { regex: true });
    expect(places(all.matches)).toEqual(["/a:1"]);
    expect(all.note).toContain("/f supports plain text searches only");
  });

  it("refuses a mount at /, and two mounts at one path", () => {
    const mount = new MemoryBackend();
    expect(() => new CompositeBackend(mount, { "/": mount })).toThrow("/ is already mounted");
    expect(() => new CompositeBackend(mount, { "/a": mount, "/a/": mount })).toThrow("/a is already mounted");
  });
});
