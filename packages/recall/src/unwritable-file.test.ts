import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RecallIndex } from "./recall-index.js";

const directory = mkdtempSync(join(tmpdir(), "recall-unwritable-"));
const path = join(directory, "index.db");
const otherUser = Number(process.env["PALIMPSEST_OTHER_USER"]);
const isAllowedAll = process.getuid?.() === 0 && otherUser === 0;

// Root may write to every file, so the tests run as another user.
beforeAll(async () => {
  chmodSync(directory, 0o777);
  if (otherUser > 0) process.seteuid?.(otherUser);
  const index = RecallIndex.fromPath(path);
  await index.addFile({ thread: "t", path: "/a", text: "a zebra" });
  await index.close();
  chmodSync(path, 0o444);
});

afterAll(() => {
  if (otherUser > 0) process.seteuid?.(0);
  rmSync(directory, { recursive: true, force: true });
});

it.skipIf(isAllowedAll)(
  "an index in a read-only file is searched, and says why nothing is added",
  async () => {
    const index = RecallIndex.fromPath(path);
    expect((await index.search("zebra", { thread: "t" })).map((hit) => hit.path)).toEqual(["/a"]);
    const refused = {
      name: "RecallError",
      code: "read-only",
      message: expect.stringContaining(`${path} can be read but not written. Make the file`),
    };
    await expect(index.addFile({ thread: "t", path: "/b", text: "a lion" })).rejects.toMatchObject(refused);
    await expect(index.removeThread("t")).rejects.toMatchObject(refused);
    await index.close();
    await expect(index.search("zebra", { thread: "t" })).rejects.toMatchObject({
      code: "closed",
      message: `${path} was closed. Open it again.`,
    });
  },
);

it("an index at the path of a directory is refused with the path and the way out", () => {
  expect(() => RecallIndex.fromPath(directory)).toThrow(
    expect.objectContaining({
      code: "bad-option",
      message: expect.stringContaining(`${directory} cannot be opened. Check that it is a file`),
    }),
  );
});
