import { describe, expect, it } from "vitest";
import { storeSaver, testedSavers } from "../testing/savers.js";
import { sweepArchives } from "./thread-archive.js";
import type { VfsSaver } from "./vfs-saver.js";

async function isThere(saver: VfsSaver, threadId: string): Promise<boolean> {
  return saver.files.archive(threadId).has("/context/original.md");
}

describe.each([...testedSavers, storeSaver])("sweepArchives on $name", ({ create }) => {
  it("deletes the archives of threads that are gone, and no other", async () => {
    const saver = await create();
    for (const threadId of ["kept", "gone", "a/b", "ä"]) {
      await saver.files.archive(threadId).append("/context/original.md", threadId);
    }
    expect(await sweepArchives(saver.files, ["kept", "a/b"], { grace: 0 })).toBe(2);
    const left = await Promise.all(["kept", "a/b", "gone", "ä"].map(async (id) => isThere(saver, id)));
    expect(left).toEqual([true, true, false, false]);
    await saver.close();
  });

  it("leaves an archive that was written within the grace, because its first checkpoint may not be stored yet", async () => {
    const saver = await create();
    await saver.files.archive("new").append("/context/original.md", "an original");
    expect(await sweepArchives(saver.files, [])).toBe(0);
    expect(await isThere(saver, "new")).toBe(true);
    await saver.close();
  });
});
