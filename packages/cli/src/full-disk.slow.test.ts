import { CheckpointError, VfsSaver } from "@palimpsest/checkpoint";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "./testing/run.js";
import { commandsOf } from "./testing/runbook.js";
import { newPath, removePaths, writeThread } from "./testing/written-storage.js";

const disk = mkdtempSync(join(tmpdir(), "palimpsest-disk-"));
/** Only an administrator may mount a disk. */
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=13m", "tmpfs", disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
  removePaths();
});

const path = join(disk, "agent.db");
const [whilePruned = [], whileCopied = []] = commandsOf("The disk is full");

/** Runs the lines of a block with the files that they name; the thread is of today, so no age protects it. */
async function play(lines: typeof whilePruned, files: ReadonlyMap<string, string>): Promise<void> {
  for (const { args, line } of lines) {
    const words = args.map((word) => (word === "30d" ? "0d" : (files.get(word) ?? word)));
    expect([line, (await run(...words)).code]).toEqual([line, 0]);
  }
}

/** Writes threads until the disk is full. */
async function fill(saver: VfsSaver): Promise<void> {
  try {
    for (let thread = 0; ; thread++) await writeThread(saver, `t${thread}`, 8);
  } catch (error) {
    if (!CheckpointError.isInstance(error) || error.code !== "disk-full") throw error;
  }
}

function roomOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

describe.runIf(isMounted)("what the runbook says of a full disk", () => {
  beforeAll(async () => {
    const saver = VfsSaver.fromPath(path);
    await fill(saver);
    await saver.close();
  });

  it("copies the storage to another disk and prunes the copy, where not even the log has room", async () => {
    const rest = join(disk, "log-of-a-neighbour");
    spawnSync("sh", ["-c", `cat /dev/zero > ${rest}`]);
    expect(roomOf(disk)).toBe(0);
    const copy = newPath("copy.db");
    await play(
      whileCopied,
      new Map([
        ["agent.db", path],
        ["copy.db", copy],
      ]),
    );
    // A part of an export would look like the whole.
    const exported = join(disk, "export.jsonl");
    const { code, err } = await run("export", copy, "t0", "--output", exported);
    expect([code, err]).toEqual([1, expect.stringContaining("cannot be written")]);
    expect(existsSync(exported)).toBe(false);
    const exportedTo = await run("export", copy, "--saver", join(disk, "saver.db"));
    expect(exportedTo).toMatchObject({ code: 1, out: "" });
    expect(exportedTo.err).toMatch(/^palimpsest: \S+saver\.db cannot be .*\n$/u);
    rmSync(rest);
    const saver = VfsSaver.fromPath(copy);
    await writeThread(saver, "more", 2);
    await saver.close();
  });

  it("prunes the storage in its place, after which it takes writes again", async () => {
    const before = roomOf(disk);
    await play(whilePruned, new Map([["agent.db", path]]));
    expect(roomOf(disk)).toBeGreaterThan(before);
    const saver = VfsSaver.fromPath(path);
    await writeThread(saver, "more", 2);
    await saver.close();
    expect((await run("verify", path)).code).toBe(0);
  });
});
