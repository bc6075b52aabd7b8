import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Archive } from "./archive.js";
import { DriverBackend, MemoryBackend } from "./backends/driver-backend.js";
import { MemoryDriver } from "./drivers/memory-driver.js";
import { testBackend } from "./testing/index.js";
import { archiveView, VirtualFilesystem } from "./virtual-filesystem.js";
import { mergeFiles } from "./workspace/merge-files.js";

const directory = mkdtempSync(join(tmpdir(), "vfs-whole-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

testBackend({
  name: "archive",
  create: async (files) => {
    const driver = new MemoryDriver();
    const archive = new Archive(driver, "/threads/t");
    await Promise.all(
      Object.entries(files).map(async ([path, text]) => archive.append(`/context${path}`, text)),
    );
    return archiveView(driver, "/threads/t");
  },
  readOnly: true,
});

describe.each([
  ["memory", () => VirtualFilesystem.inMemory()],
  ["directory", () => VirtualFilesystem.fromDirectory(mkdtempSync(join(directory, "v-")))],
])("VirtualFilesystem in %s", (_, create) => {
  it("shows the agent its workspace, and the archive as read-only", async () => {
    const { archive, backend, workspace } = create().thread("t");
    await archive.append("/context/results/a.md", "archived");
    await backend.write("/notes.md", "mine");
    expect((await backend.ls("/")).files?.map(({ path }) => path)).toEqual(["/context/", "/notes.md"]);
    expect((await backend.read("/context/results/a.md")).content).toBe("archived");
    expect((await backend.grep("i")).matches?.map(({ path }) => path)).toEqual([
      "/notes.md",
      "/context/results/a.md",
    ]);
    expect(Object.keys(workspace.changes)).toEqual(["/notes.md"]);
    expect((await backend.delete("/context/results/a.md")).error).toBe(
      "/context/results/a.md is read-only: the archive is append-only. Write to a path outside /context/.",
    );
    expect(await archive.readText("/context/results/a.md")).toBe("archived");
  });

  it("keeps threads with any ids apart, and finds each thread again", async () => {
    const vfs = create();
    const ids = ["t1", "t10", "T1", "t/1", "t.1", "../t1", "t1/context", "é", "'; drop table files; --"];
    await Promise.all(
      ids.map(async (id) => {
        await vfs.thread(id).archive.append("/context/a", id);
      }),
    );
    const seen = await Promise.all(
      ids.map(async (id) => {
        const { backend } = vfs.thread(id);
        return [(await backend.glob("**")).files?.length, (await backend.read("/context/a")).content];
      }),
    );
    expect(seen).toEqual(ids.map((id) => [1, id]));
  });

  it("loses nothing when 64 threads append and write at once", async () => {
    const vfs = create();
    const ids = Array.from({ length: 64 }, (__, index) => `thread-${index}`);
    const states = await Promise.all(
      ids.map(async (id) => {
        const { archive, backend, workspace } = vfs.thread(id);
        await Promise.all([archive.append("/context/a", id), archive.append("/context/b", "same for all")]);
        await Promise.all([backend.write("/own", id), backend.write("/shared", "same for all")]);
        return mergeFiles(undefined, workspace.changes);
      }),
    );
    const read = await Promise.all(
      ids.map(async (id, index) => {
        const { backend } = vfs.thread(id, states[index]);
        const results = await Promise.all(
          ["/context/a", "/own", "/shared"].map(async (path) => backend.read(path)),
        );
        return results.map(({ content }) => content);
      }),
    );
    expect(read).toEqual(ids.map((id) => [id, id, "same for all"]));
  });
});

describe("VirtualFilesystem", () => {
  it("reads everything back from its directory", async () => {
    const place = mkdtempSync(join(directory, "again-"));
    const first = VirtualFilesystem.fromDirectory(place).thread("t");
    await first.archive.append("/context/a", "archived");
    await first.backend.write("/b", "written");
    const again = VirtualFilesystem.fromDirectory(place).thread(
      "t",
      mergeFiles(undefined, first.workspace.changes),
    );
    expect((await again.backend.read("/context/a")).content).toBe("archived");
    expect((await again.backend.read("/b")).content).toBe("written");
  });

  it("calls a listener for every accepted append of every thread until the listener is removed", async () => {
    const files = VirtualFilesystem.inMemory();
    const appends: unknown[] = [];
    const stop = files.onAppend((appended) => void appends.push(appended));
    const { archive } = files.thread("t");
    await archive.append("context/a", "one");
    await expect(archive.append("/context/a", "two")).rejects.toMatchObject({ code: "exists" });
    stop();
    await archive.append("/context/b", "three");
    expect(appends).toEqual([{ threadId: "t", path: "/context/a", content: "one" }]);
    const paths = [];
    for await (const page of archive.listPaths()) paths.push(...page);
    expect(paths.toSorted()).toEqual(["/context/a", "/context/b"]);
  });

  it("mounts one backend for all threads, or one for each thread", async () => {
    const shared = new MemoryBackend();
    const own = new Map<string, MemoryBackend>();
    const mounts = {
      "/memories": shared,
      "/own/": (threadId: string) => {
        const backend = own.get(threadId) ?? new MemoryBackend();
        own.set(threadId, backend);
        return backend;
      },
    };
    const vfs = VirtualFilesystem.inMemory({ mounts });
    await vfs.thread("a").backend.write("/memories/x", "for all");
    await vfs.thread("a").backend.write("/own/x", "for a");
    expect((await vfs.thread("b").backend.read("/memories/x")).content).toBe("for all");
    expect((await vfs.thread("b").backend.read("/own/x")).error).toContain("/own/x does not exist");
    expect((await vfs.thread("a").backend.read("/own/x")).content).toBe("for a");
  });

  it("refuses bad thread ids, and mounts over the workspace or the archive", () => {
    const given: unknown[] = ["", undefined, 7];
    for (const id of given) {
      expect(() => VirtualFilesystem.inMemory().thread(id as string)).toThrow(/is not a thread id/);
    }
    for (const path of ["/", "/context", "/context/x/", ""]) {
      const build = (): VirtualFilesystem =>
        VirtualFilesystem.inMemory({ mounts: { [path]: new MemoryBackend() } });
      expect(build).toThrow(expect.objectContaining({ code: "invalid-path" }));
    }
  });

  it("refuses a mount whose root an id from a client would choose", async () => {
    const driver = new MemoryDriver();
    const mounts = { "/own": (id: string) => new DriverBackend(driver, { root: `/users/${id}` }) };
    const vfs = new VirtualFilesystem({ driver, mounts });
    await vfs.thread("victim").archive.append("/context/secret.md", "secret");
    for (const id of ["../threads/victim", "a/../../threads/victim", "..", "."]) {
      expect(() => vfs.thread(id)).toThrow(expect.objectContaining({ code: "invalid-path" }));
    }
    await vfs.thread("ann").backend.write("/own/x", "mine");
    expect((await vfs.thread("ann").backend.grep("secret")).matches).toEqual([]);
    expect(await driver.stat("/users/ann/x")).toMatchObject({ size: 4 });
    expect(() => VirtualFilesystem.inMemory({ mounts: { "/m/../context": new MemoryBackend() } })).toThrow(
      /\/m\/\.\.\/context" is a root with the name \. or \.\.\. Name the directory itself/,
    );
  });

  it("refuses a directory that cannot be written", () => {
    expect(() => VirtualFilesystem.fromDirectory("/dev/null/x")).toThrow(
      expect.objectContaining({ code: "unwritable" }),
    );
  });
});
