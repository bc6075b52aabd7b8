import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Backend } from "../backend.js";
import { MemoryDriver } from "../drivers/memory-driver.js";
import { testBackend } from "../testing/index.js";
import { DirectoryBackend, DriverBackend, MemoryBackend } from "./driver-backend.js";

const base = mkdtempSync(join(tmpdir(), "vfs-backend-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function filled<T extends Backend>(backend: T, files: Readonly<Record<string, string>>): Promise<T> {
  await Promise.all(Object.entries(files).map(async ([path, text]) => backend.write(path, text)));
  return backend;
}

testBackend({ name: "memory", create: async (files) => filled(new MemoryBackend(), files), numRuns: 100 });
testBackend({
  name: "directory",
  create: async (files) => filled(new DirectoryBackend(mkdtempSync(join(base, "b-"))), files),
  numRuns: 15,
});
testBackend({
  name: "a directory of a driver",
  create: async (files) => filled(new DriverBackend(new MemoryDriver(), { root: "/some/where" }), files),
});
testBackend({
  name: "read-only",
  create: async (files) => {
    const driver = new MemoryDriver();
    await filled(new DriverBackend(driver), files);
    return new DriverBackend(driver, { readOnly: true });
  },
  readOnly: true,
});

describe("DriverBackend", () => {
  it("keeps parallel edits through two backends over one driver", async () => {
    const driver = new MemoryDriver();
    const [whole, part] = [new DriverBackend(driver), new DriverBackend(driver, { root: "/d" })];
    await whole.write("/d/a", "one two");
    await Promise.all([whole.edit("/d/a", "one", "1"), part.edit("/a", "two", "2")]);
    expect((await part.read("/a")).content).toBe("1 2");
  });

  it("confines every path to its root", async () => {
    const driver = new MemoryDriver();
    await new DriverBackend(driver).write("/outside", "x");
    const backend = new DriverBackend(driver, { root: "/in" });
    expect((await backend.read("/../outside")).error).toContain("leaves the root");
    expect((await backend.glob("**")).files).toEqual([]);
  });

  it("returns an error when the driver throws", async () => {
    const driver = new MemoryDriver();
    driver.stat = async () => {
      throw new Error("disk on fire");
    };
    expect((await new DriverBackend(driver).read("/a")).error).toContain("disk on fire");
  });
});
