import { describe, expect, it } from "vitest";
import { deltaRuns } from "../testing/delta-runs.js";
import { testedSavers } from "../testing/savers.js";

describe.each(testedSavers)("graphs on $name", ({ create }) => {
  it("rebuild delta channels exactly in 40 of 40 runs, with parallel writers", async () => {
    const saver = await create();
    const { live, rebuilt } = await deltaRuns(saver, 40);
    expect(rebuilt).toHaveLength(40);
    expect(rebuilt).toEqual(live);
    await saver.close();
  });
});
