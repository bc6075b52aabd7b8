import { testDriver } from "@palimpsest/vfs/testing";
import { describe, expect, it } from "vitest";
import { testedSavers } from "../testing/savers.js";

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
});
