import { AIMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryPath } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const disk = mkdtempSync(join(tmpdir(), "palimpsest-disk-"));
/** Only an administrator may mount a disk. */
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

const config = (thread: string) => ({ configurable: { thread_id: thread, checkpoint_ns: "" } });

/** Writes a step of 40 KB. */
async function put(saver: VfsSaver, thread: string, step: number): Promise<void> {
  const messages = Array.from({ length: 10 }, () => new AIMessage(randomBytes(2_000).toString("hex")));
  const checkpoint = {
    ...emptyCheckpoint(),
    id: uuid6(step),
    channel_values: { messages },
    channel_versions: { messages: step + 1 },
  };
  const metadata = { source: "loop", step, parents: {} } as const;
  await saver.put(config(thread), checkpoint, metadata, { messages: step + 1 });
}

/** Writes steps until one fails, and returns how many were acknowledged and the failure. */
async function fill(saver: VfsSaver): Promise<{ readonly steps: number; readonly failure: unknown }> {
  for (let steps = 0; ; steps++) {
    try {
      await put(saver, steps % 5 === 0 ? "other" : "t", steps);
    } catch (failure) {
      return { steps, failure };
    }
  }
}

/** Takes what is left of the disk, as a neighbour would. */
function takeTheRest(): string {
  const path = join(disk, "log-of-a-neighbour");
  spawnSync("sh", ["-c", `cat /dev/zero > ${path}`]);
  expect(statSync(path).size).toBeGreaterThan(0);
  return path;
}

async function stepsOf(saver: VfsSaver, thread: string): Promise<number> {
  let steps = 0;
  for await (const { checkpoint } of saver.list(config(thread))) steps += checkpoint.id === "" ? 0 : 1;
  return steps;
}

describe.runIf(isMounted)("a SQLite file that has filled its disk", () => {
  it("refuses writes, keeps what it has acknowledged, and can be pruned, deleted from and written again", async () => {
    const path = join(disk, "filled.db");
    const saver = VfsSaver.fromPath(path);
    const { steps, failure } = await fill(saver);
    expect(failure).toMatchObject({ code: "disk-full" });
    expect(steps).toBeGreaterThan(100);
    expect((await stepsOf(saver, "t")) + (await stepsOf(saver, "other"))).toBe(steps);
    const size = statSync(path).size;
    const ofThread = await stepsOf(saver, "t");
    expect(await saver.prune("t", { keepLast: 1 })).toMatchObject({ checkpoints: ofThread - 1 });
    expect(statSync(path).size).toBeLessThan(size / 2);
    await put(saver, "t", steps);
    await saver.deleteThread("other");
    expect([await stepsOf(saver, "t"), await stepsOf(saver, "other")]).toEqual([2, 0]);
    await saver.close();
    rmSync(path);
  });

  it("whose last room a neighbour takes says how to go on, and a copy on another disk can be pruned", async () => {
    const path = join(disk, "taken.db");
    const writer = VfsSaver.fromPath(path);
    const steps = 20;
    for (let step = 0; step < steps; step++) await put(writer, "t", step);
    const rest = takeTheRest();
    await expect(writer.prune("t", { keepLast: 1 })).rejects.toMatchObject({
      code: "disk-full",
      message: expect.stringMatching(/no room for the log .* "palimpsest backup", prune that/u) as string,
    });
    const copy = temporaryPath("copy.db");
    VfsSaver.backup(path, copy);
    const saver = VfsSaver.fromPath(copy);
    expect(await stepsOf(saver, "t")).toBe(steps);
    await saver.prune("t", { keepLast: 1 });
    expect(await stepsOf(saver, "t")).toBe(1);
    await saver.close();
    rmSync(rest);
    // The file itself goes on as soon as there is room.
    await writer.prune("t", { keepLast: 1 });
    expect(await stepsOf(writer, "t")).toBe(1);
    await writer.close();
    rmSync(path);
  });
});
