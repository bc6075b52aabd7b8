import { testDriver } from "@palimpsest/vfs/testing";
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { testedSavers } from "../testing/savers.js";

const text = (size: number, at: number) => Buffer.from(`${at} and on `.repeat(size)).subarray(0, size);
const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString("hex");

for (const { name, create } of testedSavers) {
  testDriver({ name: `files of ${name}`, create: async () => (await create()).files.driver, numRuns: 10 });
}

describe.each(testedSavers)("a file of $name", ({ create }) => {
  it("has the bytes that were written last, whatever their size and the size before", async () => {
    const saver = await create();
    const { driver } = saver.files;
    for (const [index, size] of [9_000_000, 300_000, 0, 10_000_000, 5].entries()) {
      const bytes = Buffer.alloc(size, `${index} written `);
      await driver.write("/large", bytes);
      expect((await driver.stat("/large"))?.size).toBe(size);
      expect(Buffer.from((await driver.read("/large")) ?? []).equals(bytes)).toBe(true);
      const part = await driver.read("/large", { start: 262_000, end: 8_600_000 });
      expect(Buffer.from(part ?? []).equals(bytes.subarray(262_000, 8_600_000))).toBe(true);
    }
    expect(await driver.write("/large", Buffer.from("other"), { ifAbsent: true })).toBe(false);
    await saver.close();
  });

  it("has the same bytes read together with others and alone: empty, small, of several chunks, and none", async () => {
    const saver = await create();
    const { driver } = saver.files;
    const sizes = [0, 1, 800, 63, 16_384, 16_385, 300_000, ...Array.from({ length: 300 }, (_, at) => at)];
    for (const [at, size] of sizes.entries())
      await driver.write(`/f/${at}`, at % 2 === 0 ? text(size, at) : randomBytes(size));
    const paths = ["/none", ...sizes.map((_, at) => `/f/${at}`), "/f/3", "/f"];
    const alone = await Promise.all(paths.map(async (path) => driver.read(path)));
    const together = (await driver.readAll?.(paths)) ?? alone;
    expect(together.map(hex)).toEqual(alone.map(hex));
    expect(together.map((bytes) => bytes?.length)).toEqual([undefined, ...sizes, 63, undefined]);
    await saver.close();
  });
});
