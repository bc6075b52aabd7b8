import fs, { existsSync, mkdtempSync, rmSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { callbackify, promisify } from "node:util";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { losses, SimulatedDisk } from "../testing/simulated-disk.js";
import type { DirectoryDriver as Driver } from "./directory-driver.js";
import type { DriverFile } from "./file-driver.js";

const simulated = { disk: undefined as SimulatedDisk | undefined, hasLinks: true };

/** Routes a call that changes the disk through the disk of the test, while there is one. */
function routed<A extends unknown[], R>(call: (...given: A) => R) {
  return (...given: A): R => (simulated.disk?.counted(call) ?? call)(...given);
}

const real = { ...fs };
const realUnlink = promises.unlink;

const realSync = promisify(real.fsync);

// The drivers, which are imported below, see what is assigned here: the names that they import are bound to these objects.
Object.assign(fs, {
  fsync: callbackify(async (descriptor: number) => simulated.disk?.sync(descriptor) ?? realSync(descriptor)),
  openSync: (...given: Parameters<typeof fs.openSync>) =>
    (given[1] === "wx" ? routed(real.openSync) : real.openSync)(...given),
  linkSync: routed((...given: Parameters<typeof fs.linkSync>) => {
    if (!simulated.hasLinks) throw Object.assign(new Error("no hard links"), { code: "EPERM" });
    real.linkSync(...given);
  }),
  mkdirSync: routed(real.mkdirSync),
  renameSync: routed(real.renameSync),
  unlinkSync: routed(real.unlinkSync),
  writeFileSync: routed(real.writeFileSync),
});
promises.unlink = async (path) => routed(realUnlink)(path);
syncBuiltinESMExports();
// The files of a worker share their modules: those that another file has loaded have kept the calls as they were.
vi.resetModules();
const { DirectoryDriver } = await import("./directory-driver.js");
const { DirectoryRoot } = await import("./directory-root.js");

const base = mkdtempSync(join(tmpdir(), "vfs-power-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const file = (path: string): DriverFile => ({ path, bytes: Buffer.from(`content of ${path} `.repeat(40)) });
const batch = [file("/t/results/a"), file("/t/results/b"), file("/t/history/c")];
const single = file("/t/results/single");
const many = Array.from({ length: 8 }, (_, index) =>
  file(`/t/${index % 2 ? "results" : "history"}/at-once-${index}`),
);

type Acknowledge = (files: readonly DriverFile[]) => void;

const sequences: Record<string, (driver: Driver, acknowledge: Acknowledge) => Promise<void>> = {
  "a batch": async (driver, acknowledge) => {
    await driver.writeAll(batch);
    acknowledge(batch);
  },
  "a file": async (driver, acknowledge) => {
    await driver.write(single.path, single.bytes, { ifAbsent: true });
    acknowledge([single]);
  },
  "eight files at once": async (driver, acknowledge) => {
    const write = async (one: DriverFile) => {
      await driver.write(one.path, one.bytes, { ifAbsent: true });
      acknowledge([one]);
    };
    await Promise.allSettled(many.map(write));
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

describe.runIf(process.platform === "linux")("the sync of a directory", () => {
  it("is one for all calls that come before it begins, and another for those that come later", async () => {
    const root = new DirectoryRoot(mkdtempSync(join(base, "shared-")));
    simulated.disk = new SimulatedDisk();
    const { disk } = simulated;
    const first = [1, 2, 3].map(async () => root.sync("/"));
    await Promise.resolve().then(() => undefined);
    const later = [1, 2, 3].map(async () => root.sync("/"));
    await Promise.all([...first, ...later]);
    simulated.disk = undefined;
    expect(disk.calls).toBe(2);
  });
});

describe.runIf(process.platform === "linux")(
  "a write into a directory that another write has created",
  () => {
    it("is acknowledged when the name of that directory is synced as well", async () => {
      const root = mkdtempSync(join(base, "made-"));
      const driver = new DirectoryDriver(root);
      const [first, second] = [file("/new/first"), file("/new/second")];
      simulated.disk = new SimulatedDisk();
      const { disk } = simulated;
      disk.delay = async (path) => (path === root ? setTimeout(100) : undefined);
      const slow = driver.write(first.path, first.bytes, { ifAbsent: true });
      await vi.waitUntil(() => existsSync(join(root, "new")), { interval: 1 });
      await driver.write(second.path, second.bytes, { ifAbsent: true });
      const left = join(base, "made-left");
      disk.copyAfter("all", root, left);
      await slow;
      simulated.disk = undefined;
      expect(textOf(await new DirectoryDriver(left).read(second.path))).toBe(textOf(second.bytes));
    });
  },
);

describe.runIf(process.platform === "linux")("a file system without hard links", () => {
  afterEach(() => void (simulated.hasLinks = true));

  it.each(losses)(
    "keeps an acknowledged file when a power failure loses %s of what was not synced",
    async (loss) => {
      simulated.hasLinks = false;
      const { root, disk, acknowledged } = await run("a file", Number.POSITIVE_INFINITY);
      expect(acknowledged).toEqual([single]);
      const left = mkdtempSync(join(base, "linkless-"));
      disk.copyAfter(loss, root, left);
      expect(textOf(await new DirectoryDriver(left).read(single.path))).toBe(textOf(single.bytes));
    },
  );

  it.each(losses)(
    "leaves a file whole or not at all, wherever its writer is killed, when %s is lost",
    async (loss) => {
      simulated.hasLinks = false;
      const { disk: whole } = await run("a file", Number.POSITIVE_INFINITY);
      const found = new Set<string | undefined>();
      for (let killedAt = 0; killedAt <= whole.calls; killedAt++) {
        const { root, disk } = await run("a file", killedAt);
        const left = mkdtempSync(join(base, "linkless-killed-"));
        disk.copyAfter(loss, root, left);
        const driver = new DirectoryDriver(left);
        found.add(textOf(await driver.read(single.path)));
        // What a killed process leaves does not keep others from writing the file.
        await driver.write(single.path, single.bytes, { ifAbsent: true });
        expect(textOf(await driver.read(single.path))).toBe(textOf(single.bytes));
      }
      expect(found).toEqual(new Set([undefined, textOf(single.bytes)]));
    },
  );

  it("gives a name to one of several writers", async () => {
    simulated.hasLinks = false;
    const driver = new DirectoryDriver(mkdtempSync(join(base, "linkless-claim-")));
    const texts = ["a", "b", "c"];
    const write = async (text: string) => driver.write("/name", Buffer.from(text), { ifAbsent: true });
    const written = await Promise.all(texts.map(write));
    expect(written.filter(Boolean)).toHaveLength(1);
    expect(textOf(await driver.read("/name"))).toBe(texts[written.indexOf(true)]);
  });
});

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
