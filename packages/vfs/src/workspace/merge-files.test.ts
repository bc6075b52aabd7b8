import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlobStore } from "../blob-store.js";
import { MemoryDriver } from "../drivers/memory-driver.js";
import { conflictPath, lineageOf, nextVersion, versionOf } from "./files.js";
import type { FileDeletion, FileEntry, Files, FilesUpdate } from "./files.js";
import { mergeFiles } from "./merge-files.js";
import { WorkspaceBackend } from "./workspace-backend.js";

const time = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

function written(content: string, minute: number, base?: FileEntry): FileEntry {
  const ancestors = lineageOf(base);
  const version = nextVersion(content, ancestors);
  return { digest: content, size: content.length, lines: 1, modifiedAt: time(minute), version, ancestors };
}

const deletionOf = (entry: FileEntry): FileDeletion => ({ deleted: true, ancestors: lineageOf(entry) });

/** A step of one writer: paths that it writes or deletes over its own view. */
const step = fc.array(
  fc.record({
    path: fc.constantFrom("/a.md", "/b"),
    content: fc.constantFrom("x", "y", "z", undefined),
    minute: fc.integer({ min: 1, max: 5 }),
  }),
  { minLength: 1, maxLength: 2 },
);
const writers = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
type Steps = ReturnType<typeof step.generate>["value"];

function change(seen: Files, steps: Steps, deletions: boolean): FilesUpdate {
  const changes: Record<string, FileEntry | FileDeletion> = {};
  for (const { path, content, minute } of steps) {
    const base = seen[path];
    if (content !== undefined) changes[path] = written(content, minute, base);
    else if (base && deletions) changes[path] = deletionOf(base);
  }
  return changes;
}

/** Returns the updates of each writer, step by step, all from one initial state. */
function updatesOf(
  start: Files,
  histories: readonly (readonly Steps[])[],
  deletions = false,
): FilesUpdate[][] {
  return histories.map((steps) => {
    let seen = start;
    return steps.map((one) => {
      const update = change(seen, one, deletions);
      seen = mergeFiles(seen, update);
      return update;
    });
  });
}

const start: Files = { "/a.md": written("start", 0), "/other": written("other", 0) };
const merged = (files: Files, updates: readonly FilesUpdate[]): Files =>
  updates.reduce<Files>(mergeFiles, files);

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

describe("mergeFiles", () => {
  it("treats undefined as empty", () => {
    expect(mergeFiles(undefined, undefined)).toEqual({});
    expect(mergeFiles(start, undefined)).toEqual(start);
    expect(mergeFiles(undefined, start)).toEqual(start);
  });

  it("changes neither of its inputs", () => {
    fc.assert(
      fc.property(writers, (histories) => {
        const updates = deepFreeze(updatesOf(start, histories, true).flat());
        const once = merged(deepFreeze(structuredClone(start)), updates);
        expect(merged(structuredClone(start), updates)).toEqual(once);
      }),
    );
  });

  it("is idempotent: the same update, or a whole state written back, changes nothing the second time", () => {
    fc.assert(
      fc.property(writers, (histories) => {
        const updates = updatesOf(start, histories).flat();
        const files = merged(start, updates);
        expect(mergeFiles(files, files)).toEqual(files);
        expect(merged(files, updates)).toEqual(files);
        expect(mergeFiles(undefined, files)).toEqual(files);
      }),
      { numRuns: 300 },
    );
  });

  it("returns the same files for parallel writes in any order, merged one by one or all at once", () => {
    const interleave = fc.array(fc.nat());
    fc.assert(
      fc.property(writers, interleave, (histories, picks) => {
        const updates = updatesOf(start, histories);
        const expected = merged(start, updates.flat());
        const queues = updates.map((steps) => [...steps]);
        const shuffled = [...picks, ...Array.from({ length: 20 }, () => 0)].flatMap((pick) => {
          const waiting = queues.filter((queue) => queue.length > 0);
          return waiting[pick % Math.max(1, waiting.length)]?.splice(0, 1) ?? [];
        });
        expect(merged(start, shuffled)).toEqual(expected);
        const states = updates.map((steps) => merged(start, steps));
        expect(merged(start, states)).toEqual(expected);
        expect(merged(start, states.toReversed())).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("returns the same files in either order when one writer deletes what another edits", () => {
    const base = written("start", 0);
    const [deleted, edited] = [{ "/a.md": deletionOf(base) }, { "/a.md": written("x", 1, base) }];
    expect(merged(start, [deleted, edited])["/a.md"]).toEqual(edited["/a.md"]);
    expect(merged(start, [edited, deleted])["/a.md"]).toEqual(edited["/a.md"]);
    expect(mergeFiles(start, deleted)).toEqual({ "/other": start["/other"] });
  });

  it("keeps every version that no other version replaces", () => {
    fc.assert(
      fc.property(writers, (histories) => {
        const updates = updatesOf(start, histories).flat();
        const sent = updates
          .flatMap((update) => Object.values(update))
          .filter((entry) => entry && "digest" in entry);
        const entries = sent as FileEntry[];
        const replaced = new Set(entries.flatMap((entry) => entry.ancestors ?? []));
        const kept = new Set(Object.values(merged(start, updates)).map(versionOf));
        const lost = entries.filter(
          (entry) => !replaced.has(versionOf(entry)) && !kept.has(versionOf(entry)),
        );
        expect(lost).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("keeps both of two versions based on the same one, and each entry names the other path", () => {
    const base = written("start", 0);
    const [first, second] = [written("first", 1, base), written("second", 2, base)];
    const files = merged(start, [{ "/a.md": second }, { "/a.md": first }]);
    const copy = conflictPath("/a.md", versionOf(first));
    expect(copy).toMatch(/^\/a\.conflict-[0-9a-f]{8}\.md$/);
    expect(files).toEqual({
      "/other": start["/other"],
      "/a.md": { ...second, conflicts: [copy] },
      [copy]: { ...first, conflictOf: "/a.md" },
    });
    const resolved = mergeFiles(files, { [copy]: deletionOf(first) });
    expect(resolved["/a.md"]).toEqual(second);
    expect(Object.keys(resolved)).toHaveLength(2);
  });

  it("keeps a user's file at the conflict path", () => {
    const base = written("start", 0);
    const [first, second] = [written("first", 1, base), written("second", 2, base)];
    const copy = conflictPath("/a.md", versionOf(first));
    const mine = written("mine", 3);
    const files = merged({ ...start, [copy]: mine }, [{ "/a.md": first }, { "/a.md": second }]);
    const versions = Object.values(files).map(versionOf);
    expect(versions).toEqual(expect.arrayContaining([first, second, mine].map(versionOf)));
  });

  it("deletes any version with null, and applies a FileDeletion only to a version its writer had seen", () => {
    const base = written("start", 0);
    const newer = written("x", 1, base);
    expect(mergeFiles({ "/a.md": newer }, { "/a.md": null })).toEqual({});
    expect(mergeFiles({ "/a.md": newer }, { "/a.md": deletionOf(newer) })).toEqual({});
    expect(mergeFiles({ "/a.md": newer }, { "/a.md": deletionOf(base) })).toEqual({ "/a.md": newer });
  });

  it("treats a return to earlier content as a new write", () => {
    const [one, two] = [written("one", 0), written("two", 1, written("one", 0))];
    const back = written("one", 2, two);
    const files = merged({}, [{ "/a": one }, { "/a": two }, { "/a": back }]);
    expect(files).toEqual({ "/a": back });
    expect(merged(files, [{ "/a": two }, { "/a": one }])).toEqual({ "/a": back });
  });

  it("accepts entries without versions", () => {
    const plain = { digest: "d", size: 1, lines: 1, modifiedAt: time(0) };
    const files = mergeFiles({ "/a": plain }, { "/a": written("x", 1, plain) });
    expect(files["/a"]?.digest).toBe("x");
    expect(Object.keys(files)).toEqual(["/a"]);
  });

  it("merges a whole state of 5,000 files within seconds", () => {
    const many = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`/${index}`, written("x", index)]),
    );
    const began = performance.now();
    expect(mergeFiles(many, many)).toEqual(many);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it("merges the changes of two backends over one snapshot", async () => {
    const blobs = new BlobStore(new MemoryDriver());
    const [one, two] = [new WorkspaceBackend(blobs, {}), new WorkspaceBackend(blobs, {})];
    await Promise.all([one.write("/a", "one"), two.write("/a", "two"), two.write("/b", "b")]);
    const files = merged({}, [one.changes, two.changes]);
    const after = new WorkspaceBackend(blobs, files);
    const raw = await Promise.all(Object.keys(files).map(async (path) => after.readRaw(path)));
    expect(new Set(raw.map(({ data }) => data?.content))).toEqual(new Set(["b", "one", "two"]));
    expect(raw).toHaveLength(3);
  });
});
