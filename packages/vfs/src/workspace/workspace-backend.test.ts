import { describe, expect, it } from "vitest";
import { BlobStore } from "../blob-store.js";
import { MemoryDriver } from "../drivers/memory-driver.js";
import { testBackend, testDriver } from "../testing/index.js";
import type { Files } from "./files.js";
import { mergeFiles } from "./merge-files.js";
import { WorkspaceBackend } from "./workspace-backend.js";
import { WorkspaceDriver } from "./workspace-driver.js";

const epoch = (): Date => new Date(0);
const store = (): BlobStore => new BlobStore(new MemoryDriver());

/** A workspace whose files are all in its snapshot. */
async function workspaceWith(blobs: BlobStore, texts: Readonly<Record<string, string>>): Promise<Files> {
  const backend = new WorkspaceBackend(blobs);
  await Promise.all(Object.entries(texts).map(async ([path, text]) => backend.write(path, text)));
  return mergeFiles(undefined, backend.changes);
}

testDriver({ name: "workspace", create: () => new WorkspaceDriver(store(), {}), numRuns: 50 });
testBackend({
  name: "workspace",
  create: async (texts) => {
    const blobs = store();
    return new WorkspaceBackend(blobs, await workspaceWith(blobs, texts));
  },
  numRuns: 50,
});

describe("WorkspaceBackend", () => {
  it("reads its own changes, and leaves the snapshot unchanged", async () => {
    const blobs = store();
    const snapshot = Object.freeze(await workspaceWith(blobs, { "/a": "1", "/b": "2" }));
    const backend = new WorkspaceBackend(blobs, snapshot);
    await backend.edit("/a", "1", "one\ntwo");
    await backend.delete("/b");
    await backend.write("/c", "");
    expect((await backend.read("/a")).content).toBe("one\ntwo");
    expect((await backend.ls("/")).files?.map(({ path }) => path)).toEqual(["/a", "/c"]);
    expect((await new WorkspaceBackend(blobs, snapshot).read("/a")).content).toBe("1");
    expect(backend.changes).toMatchObject({
      "/a": { size: 7, lines: 2 },
      "/b": { deleted: true },
      "/c": { lines: 0 },
    });
    const after = mergeFiles(snapshot, backend.changes);
    expect(Object.keys(after).sort()).toEqual(["/a", "/c"]);
  });

  it("reports no change for a write of equal content, and the same change for the same write", async () => {
    const blobs = store();
    const snapshot = await workspaceWith(blobs, { "/a": "1" });
    const backend = new WorkspaceBackend(blobs, snapshot);
    await backend.write("/a", "1");
    expect(backend.changes).toEqual({});
    const [first, again] = [
      new WorkspaceBackend(blobs, snapshot, { now: epoch }),
      new WorkspaceBackend(blobs, snapshot, { now: epoch }),
    ];
    await Promise.all([first.write("/a", "2"), again.write("/a", "2")]);
    expect(first.changes).toEqual(again.changes);
    const once = mergeFiles(snapshot, first.changes);
    expect(mergeFiles(once, again.changes)).toEqual(once);
  });

  it("reports successive changes that merge equally, whether all arrive or only the last one", async () => {
    const blobs = store();
    const snapshot = await workspaceWith(blobs, { "/a": "1" });
    const backend = new WorkspaceBackend(blobs, snapshot);
    await backend.write("/a", "2");
    const early = backend.changes;
    await backend.write("/a", "3");
    const late = backend.changes;
    for (const updates of [[late], [early, late], [late, early]]) {
      const files = updates.reduce(mergeFiles, snapshot);
      expect(Object.keys(files)).toEqual(["/a"]);
      expect((await new WorkspaceBackend(blobs, files).read("/a")).content).toBe("3");
    }
    await backend.delete("/a");
    expect(mergeFiles(snapshot, backend.changes)).toEqual({});
    expect([early, backend.changes].reduce(mergeFiles, snapshot)).toEqual({});
  });

  it("replaces a file that it deleted and wrote again", async () => {
    const blobs = store();
    const snapshot = await workspaceWith(blobs, { "/a": "1" });
    const backend = new WorkspaceBackend(blobs, snapshot);
    await backend.delete("/a");
    await backend.write("/a", "2");
    const files = mergeFiles(snapshot, backend.changes);
    expect(Object.keys(files)).toEqual(["/a"]);
    expect((await new WorkspaceBackend(blobs, files).read("/a")).content).toBe("2");
  });

  it("notes the path of a conflict copy in reads and listings until the copy is deleted", async () => {
    const blobs = store();
    const snapshot = await workspaceWith(blobs, { "/report.md": "0" });
    const [one, two] = [new WorkspaceBackend(blobs, snapshot), new WorkspaceBackend(blobs, snapshot)];
    await one.write("/report.md", "1");
    await two.write("/report.md", "2");
    const files = mergeFiles(mergeFiles(snapshot, one.changes), two.changes);
    const copy = Object.keys(files).find((path) => path.includes(".conflict-")) ?? "";
    const backend = new WorkspaceBackend(blobs, files);
    expect((await backend.read("/report.md")).note).toContain(`is at ${copy}`);
    expect((await backend.readBytes(copy, { start: 0, end: 9 })).note).toContain(
      "another version of /report.md",
    );
    expect((await backend.ls("/")).files?.map(({ note }) => typeof note)).toEqual(["string", "string"]);
    await backend.delete(copy);
    expect((await backend.read("/report.md")).note).toBeUndefined();
    const after = mergeFiles(files, backend.changes);
    expect(Object.keys(after)).toEqual(["/report.md"]);
    expect(after["/report.md"]?.conflicts).toBeUndefined();
  });

  it("treats an edited conflict copy as a file in its own right", async () => {
    const blobs = store();
    const snapshot = await workspaceWith(blobs, { "/a": "0" });
    const [one, two] = [new WorkspaceBackend(blobs, snapshot), new WorkspaceBackend(blobs, snapshot)];
    await one.write("/a", "1");
    await two.write("/a", "2");
    const files = mergeFiles(mergeFiles(snapshot, one.changes), two.changes);
    const copy = Object.keys(files).find((path) => path.includes(".conflict-")) ?? "";
    const backend = new WorkspaceBackend(blobs, files);
    await backend.write(copy, "mine now");
    expect((await backend.read("/a")).note).toBeUndefined();
    const after = mergeFiles(files, backend.changes);
    expect(after["/a"]?.conflicts).toBeUndefined();
    expect(mergeFiles(after, one.changes)).toEqual(after);
    expect(mergeFiles(after, two.changes)).toEqual(after);
  });

  it("names the file whose bytes are missing or damaged", async () => {
    const driver = new MemoryDriver();
    const blobs = new BlobStore(driver);
    const files = await workspaceWith(blobs, { "/a": "text" });
    const digest = files["/a"]?.digest ?? "";
    await driver.write(`/${digest.slice(0, 2)}/${digest}`, Buffer.from("TEXT"));
    expect((await new WorkspaceBackend(blobs, files).readRaw("/a")).error).toMatch(
      /^\/a cannot be read.*damaged/,
    );
    await blobs.delete(digest);
    expect((await new WorkspaceBackend(blobs, files).read("/a")).error).toMatch(
      /^\/a cannot be read.*no blob/,
    );
  });
});
