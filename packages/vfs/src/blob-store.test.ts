import * as fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { BlobStore } from "./blob-store.js";
import { MemoryDriver } from "./drivers/memory-driver.js";
import { hex } from "./testing/arbitraries.js";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("BlobStore", () => {
  it("returns any bytes, or a range of them, by their SHA-256", async () => {
    const blobs = new BlobStore(new MemoryDriver());
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.nat(20), fc.nat(20), async (bytes, start, end) => {
        const digest = await blobs.put(bytes);
        expect(digest).toBe(createHash("sha256").update(bytes).digest("hex"));
        expect(hex(await blobs.get(digest))).toBe(hex(bytes));
        expect(hex(await blobs.get(digest, { start, end }))).toBe(hex(bytes.slice(start, end)));
      }),
    );
  });

  it("stores bytes once, at /ab/abcdef…", async () => {
    const driver = new MemoryDriver();
    const blobs = new BlobStore(driver);
    const digests = await Promise.all(Array.from({ length: 10 }, async () => blobs.put("same")));
    expect(new Set(digests)).toEqual(new Set([sha256("same")]));
    const paths: string[] = [];
    for await (const { path } of driver.list("/")) paths.push(path);
    expect(paths).toEqual([`/${digests[0]?.slice(0, 2)}/${digests[0]}`]);
  });

  it("has a stored blob, and does not have a deleted one", async () => {
    const blobs = new BlobStore(new MemoryDriver());
    const digest = await blobs.put("x");
    expect([await blobs.has(digest), await blobs.delete(digest), await blobs.has(digest)]).toEqual([
      true,
      true,
      false,
    ]);
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: "not-found" });
    await expect(blobs.get("../etc")).rejects.toMatchObject({ code: "invalid-path" });
  });

  it("reports damaged bytes by their digest, and writes a damaged blob again", async () => {
    const driver = new MemoryDriver();
    const blobs = new BlobStore(driver);
    const digest = await blobs.put("right");
    const path = `/${digest.slice(0, 2)}/${digest}`;
    await driver.write(path, Buffer.from("wrong"));
    await expect(blobs.get(digest)).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining(digest),
    });
    await blobs.put("right");
    expect(hex(await blobs.get(digest))).toBe(hex(Buffer.from("right")));
    await driver.write(path, Buffer.from("rig"));
    await blobs.put("right");
    expect(hex(await blobs.get(digest))).toBe(hex(Buffer.from("right")));
  });

  it("refuses text that UTF-8 cannot encode", async () => {
    await expect(new BlobStore(new MemoryDriver()).put("\udc00")).rejects.toMatchObject({ code: "not-utf8" });
  });
});
