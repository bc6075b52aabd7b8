import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { VirtualFilesystem } from "./virtual-filesystem.js";
import type { LaneShare } from "./lanes.js";

const base = mkdtempSync(join(tmpdir(), "vfs-lanes-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const stores = {
  memory: () => VirtualFilesystem.inMemory(),
  directory: () => VirtualFilesystem.fromDirectory(mkdtempSync(join(base, "s-"))),
};

const standIns = "/context/lanes/scout/stand-ins/a.md";
const original = "/context/lanes/scout/history/0001-a.md";

async function filled(files: VirtualFilesystem, share: LaneShare): Promise<VirtualFilesystem> {
  await files.lanes("t").declare({ name: "scout", share });
  const { archive } = files.thread("t");
  await archive.append("/context/history/0001-own.md", "needle of the main agent");
  await archive.append(standIns, "needle in a stand-in");
  await archive.append(original, "needle in an original");
  return files;
}

/** What an agent finds with every verb that reads. */
async function found(files: VirtualFilesystem, lane?: string) {
  const { backend, readable } = files.thread("t", {}, { lane });
  const paths = [standIns, original];
  const listed = (await backend.glob("**", "/")).files?.map(({ path }) => path) ?? [];
  const matched = (await backend.grep("needle", "/")).matches?.map(({ path }) => path) ?? [];
  const [read, raw, downloaded, opened, mounted] = await Promise.all([
    readableOf(paths, async (path) => (await backend.read(path)).error),
    readableOf(paths, async (path) => (await backend.readRaw(path)).error),
    readableOf(paths, async (path) => (await backend.downloadFiles?.([path]))?.[0]?.error ?? undefined),
    readableOf(paths, async (path) => readable.readText(path).then(() => undefined, String)),
    readableOf(paths, async (path) => {
      return (await files.archiveBackend("t", lane).read(path.replace("/context", ""))).error;
    }),
  ]);
  return { listed, matched, read, raw, downloaded, opened, mounted };
}

async function readableOf(paths: readonly string[], error: (path: string) => Promise<string | undefined>) {
  const errors = await Promise.all(paths.map(error));
  return paths.filter((_, at) => errors[at] === undefined);
}

describe.each(Object.entries(stores))("a lane in %s", (_, create) => {
  const cases: readonly (readonly [LaneShare, readonly string[]])[] = [
    ["none", []],
    ["summary", [standIns]],
    ["all", [standIns, original]],
  ];
  it.each(cases)("that shares %s shows others %j, for every verb that reads", async (share, expected) => {
    const files = await filled(create(), share);
    for (const reader of [undefined, "writer"]) {
      const { listed, matched, ...rest } = await found(files, reader);
      expect(listed.toSorted()).toEqual(["/context/history/0001-own.md", ...expected].toSorted());
      expect(matched.toSorted()).toEqual(["/context/history/0001-own.md", ...expected].toSorted());
      for (const paths of Object.values(rest)) expect(paths).toEqual(expected);
    }
  });

  it("shows its own agent everything, and nodes as well", async () => {
    const files = await filled(create(), "none");
    expect((await found(files, "scout")).read).toEqual([standIns, original]);
    expect(await files.archive("t").readText(original)).toBe("needle in an original");
  });

  it("shares what it says last, also in another instance over the same storage", async () => {
    const files = await filled(create(), "all");
    await files.lanes("t").declare({ name: "scout", share: "none" });
    const again = new VirtualFilesystem({ driver: files.driver });
    expect((await found(again)).read).toEqual([]);
    expect(await again.lanes("t").list()).toEqual([{ name: "scout", share: "none" }]);
    expect(await again.lanes("other").list()).toEqual([]);
  });

  it("shares nothing where nobody has said what it shares, or where that is damaged", async () => {
    const files = create();
    await files.archive("t").append(original, "needle");
    expect((await found(files)).read).toEqual([]);
    for (const damaged of ["{", '{"share":"everything"}', "\xff"]) {
      await files.driver.write("/threads/t/agents/scout.json", Buffer.from(damaged, "latin1"));
      expect((await found(files)).read).toEqual([]);
    }
  });

  it.each([
    "/context/lanes/writer/../scout/history/0001-a.md",
    "/context/LANES/scout/history/0001-a.md",
    "/context/laneſ/scout/history/0001-a.md",
    "/context/lanes//scout/history/0001-a.md",
  ])("that shares nothing is not read at the path %s", async (path) => {
    const { backend } = (await filled(create(), "none")).thread("t", {}, { lane: "writer" });
    expect((await backend.read(path)).error).toBeDefined();
  });
});

it.each(["", "a/b", "..", "a b", "x".repeat(41), 7])("a lane of the name %j is refused", async (name) => {
  const lanes = VirtualFilesystem.inMemory().lanes("t");
  await expect(lanes.declare({ name: name as string, share: "all" })).rejects.toThrow(
    /is not the name of a lane: use 1 to 40/,
  );
});
