import { expect, it } from "vitest";
import { MemoryDriver } from "./drivers/memory-driver.js";
import { VirtualFilesystem } from "./virtual-filesystem.js";

/** Counts what it is asked for. */
class CountingDriver extends MemoryDriver {
  calls: string[] = [];

  override async read(path: string): Promise<Uint8Array | undefined> {
    this.calls.push("read");
    return super.read(path);
  }

  override list(...args: Parameters<MemoryDriver["list"]>): ReturnType<MemoryDriver["list"]> {
    this.calls.push("list");
    return super.list(...args);
  }
}

it("A signature with a known key reads one file", async () => {
  const driver = new CountingDriver();
  const seal = new VirtualFilesystem({ driver }).seal("t");
  const first = (await seal.signer())("fold", "text");
  driver.calls = [];
  expect((await seal.signer())("fold", "text")).toBe(first);
  expect(driver.calls).toEqual(["read"]);
});
