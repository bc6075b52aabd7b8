import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { losses, SimulatedDisk } from "../testing/simulated-disk.js";
import { DirectoryDriver } from "./directory-driver.js";
import type { DriverFile } from "./file-driver.js";

const simulated = vi.hoisted(() => ({ disk: undefined as SimulatedDisk | undefined }));

/** Routes the calls that change the disk through the disk of the test, while there is one. */
function routed<A extends unknown[], R>(call: (...given: A) => R) {
  return (...given: A): R => (simulated.disk?.counted(call) ?? call)(...given);
}

function routedAsync<A extends unknown[], R>(call: (...given: A) => Promise<R>) {
  return async (...given: A): Promise<R> => routed(call)(...given);
}

vi.mock(import("node:fs"), async (importOriginal) => {
  const fs = await importOriginal();
  return {
    ...fs,
    linkSync: routed(fs.linkSync),
    renameSync: routed(fs.renameSync),
    unlinkSync: routed(fs.unlinkSync),
    writeFileSync: routed(fs.writeFileSync),
  };
});

vi.mock(import("node:fs/promises"), async (importOriginal) => {
  const fs = await importOriginal();
  return {
    ...fs,
    open: async (...given) => (simulated.disk?.opened(fs.open) ?? fs.open)(...given),
    link: routedAsync(fs.link),
    mkdir: routedAsync(fs.mkdir) as typeof fs.mkdir,
    rename: routedAsync(fs.rename),
    rm: routedAsync(fs.rm),
    unlink: routedAsync(fs.unlink),
  };
});

const base = mkdtempSync(join(tmpdir(), "vfs-power-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const file = (path: string): DriverFile => ({ path, bytes: Buffer.from(`content of ${path} `.repeat(40)) });
const batch = [file("/t/results/a"), file("/t/results/b"), file("/t/history/c")];
const single = file("/t/results/single");

type Acknowledge = (files: readonly DriverFile[]) => void;

const sequences: Record<string, (driver: DirectoryDriver, acknowledge: Acknowledge) => Promise<void>> = {
  "a batch": async (driver, acknowledge) => {
    await driver.writeAll(batch);
    acknowledge(batch);
  },
  "a file": async (driver, acknowledge) => {
    await driver.write(single.path, single.bytes, { ifAbsent: true });
    acknowledge([single]);
  },
  "a batch, a file that a later write replaces, and a deletion": async (driver, acknowledge) => {
    await driver.writeAll(batch);
    await driver.write(single.path, Buffer.from("first"), { ifAbsent: true });
    await driver.write(single.path, single.bytes);
    acknowledge([...batch, single]);
    await driver.delete("/none");
  },
};

/** Runs a sequence on a new directory until the call where the process is killed. */
async function run(sequence: keyof typeof sequences, killedAt: number) {
  const root = mkdtempSync(join(base, "d-"));
  const driver = new DirectoryDriver(root);
  const disk = new SimulatedDisk();
  disk.killAt(killedAt);
  const acknowledged: DriverFile[] = [];
  simulated.disk = disk;
  await sequences[sequence]?.(driver, (files) => acknowledged.push(...files)).catch(() => undefined);
  // A deletion waits for what is under way in the background.
  await driver.delete("/none").catch(() => undefined);
  simulated.disk = undefined;
  return { root, disk, acknowledged };
}

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

describe.runIf(process.platform === "linux").each(Object.keys(sequences))(
  "a process that writes %s",
  (name) => {
    it.each(losses)(
      "leaves every acknowledged file whole, wherever it is killed, when a power failure loses %s of what was not synced",
      async (loss) => {
        const { disk: whole } = await run(name, Number.POSITIVE_INFINITY);
        expect(whole.calls).toBeGreaterThan(5);
        const kept: number[] = [];
        for (let killedAt = 0; killedAt <= whole.calls; killedAt++) {
          const { root, disk, acknowledged } = await run(name, killedAt);
          const left = join(base, `left-${killedAt}`);
          disk.copyAfter(loss, root, left);
          simulated.disk = new SimulatedDisk();
          const driver = new DirectoryDriver(left);
          const found = await driver.readAll(acknowledged.map(({ path }) => path));
          expect(found.map(textOf)).toEqual(acknowledged.map(({ bytes }) => textOf(bytes)));
          kept.push(acknowledged.length);
          // What was not acknowledged is absent or whole: the same batch can be written again.
          await driver.writeAll(batch);
          const again = await driver.readAll(batch.map(({ path }) => path));
          expect(again.map(textOf)).toEqual(batch.map(({ bytes }) => textOf(bytes)));
          await driver.delete("/none");
          simulated.disk = undefined;
          rmSync(left, { recursive: true });
        }
        expect(new Set(kept).size).toBeGreaterThan(1);
      },
      300_000,
    );
  },
);

describe.runIf(process.platform === "linux")("the simulated disk", () => {
  it("loses a file that was renamed and whose directory was not synced, as a control", async () => {
    const root = mkdtempSync(join(base, "control-"));
    const driver = new DirectoryDriver(root, { durability: "process" });
    simulated.disk = new SimulatedDisk();
    await driver.write("/a", Buffer.from("text"));
    const { disk } = simulated;
    simulated.disk = undefined;
    const after = losses.map((loss, index) => {
      const left = join(base, `control-left-${index}`);
      disk.copyAfter(loss, root, left);
      return new DirectoryDriver(left).read("/a");
    });
    expect((await Promise.all(after)).map(textOf)).toEqual(["text", "", undefined]);
  });
});
