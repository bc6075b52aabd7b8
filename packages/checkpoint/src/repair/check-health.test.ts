import { MemoryDriver } from "@palimpsest/vfs";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { VfsSaver } from "../saver/vfs-saver.js";
import { testedSavers } from "../testing/savers.js";
import { checkHealth } from "./check-health.js";

describe.each(testedSavers)("checkHealth on $name", ({ create }) => {
  it("reads, writes and deletes, and leaves nothing behind", async () => {
    const saver = await create();
    const { isHealthy, checks } = await checkHealth(saver);
    expect([isHealthy, checks.map(({ name }) => name)]).toEqual([true, ["read", "write", "delete"]]);
    for (const { ms } of checks) expect(ms).toBeGreaterThanOrEqual(0);
    const left: string[] = [];
    for await (const { path } of saver.files.driver.list("/health")) left.push(path);
    expect([left, await saver.threads()]).toEqual([[], []]);
    await saver.close();
  });
});

describe("checkHealth", () => {
  class BrokenDriver extends MemoryDriver {
    fault: "refuses" | "forgets" | "hangs" = "refuses";

    override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
      if (this.fault === "refuses") throw new Error("ENOSPC: no space left on device");
      if (this.fault === "hangs") return new Promise(() => undefined);
      return args.length > 0;
    }
  }

  it.each([
    ["refuses", "ENOSPC: no space left on device"],
    ["forgets", "does not hold what was written"],
    ["hangs", "no answer within 50 ms"],
  ] as const)("says what is wrong with a storage that %s", async (fault, message) => {
    const blobs = new BrokenDriver();
    blobs.fault = fault;
    const saver = VfsSaver.wrap(new MemorySaver(), { blobs });
    const { isHealthy, checks } = await checkHealth(saver, { timeoutMs: 50 });
    expect([isHealthy, checks.map(({ name }) => name)]).toEqual([false, ["read", "write"]]);
    expect(checks.at(-1)?.error?.message).toContain(message);
    const reading = await checkHealth(saver, { readOnly: true });
    expect([reading.isHealthy, reading.checks.length]).toEqual([true, 1]);
  });
});
