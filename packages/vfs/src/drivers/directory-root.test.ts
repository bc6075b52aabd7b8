import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DirectoryRoot } from "./directory-root.js";

const base = mkdtempSync(join(tmpdir(), "vfs-root-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A root with `/dir/file`, a directory outside with the same names, and a swap of one for a link to the other. */
function scene() {
  const [inside, outside] = [mkdtempSync(join(base, "in-")), mkdtempSync(join(base, "out-"))];
  mkdirSync(join(inside, "dir/below"), { recursive: true });
  mkdirSync(join(outside, "below"));
  writeFileSync(join(inside, "dir/file"), "inside");
  writeFileSync(join(outside, "file"), "outside");
  const swap = () => {
    renameSync(join(inside, "dir"), join(inside, "moved"));
    symlinkSync(outside, join(inside, "dir"));
  };
  return { root: new DirectoryRoot(inside), inside, outside, swap };
}

// Only Linux lets a path begin at an open directory.
describe.runIf(process.platform === "linux")(
  "a directory that is swapped for a link after it was looked up",
  () => {
    it("leads out of the root if its path is used, as a control", () => {
      const { inside, swap } = scene();
      swap();
      expect(readFileSync(join(inside, "dir/file"), "utf8")).toBe("outside");
    });

    it("is written to, not what the link leads to", async () => {
      const { root, inside, outside, swap } = scene();
      const directory = await root.enter("/dir");
      swap();
      await writeFile(directory?.at("new") ?? "", "text");
      expect(readdirSync(join(inside, "moved"))).toContain("new");
      expect(readdirSync(outside)).toEqual(["below", "file"]);
      directory?.close();
    });

    it("is read from, not what the link leads to", async () => {
      const { root, swap } = scene();
      const found = await root.find("/dir/file");
      swap();
      const descriptor = found?.open() ?? -1;
      expect(readFileSync(descriptor, "utf8")).toBe("inside");
      closeSync(descriptor);
      found?.close();
    });

    it("is listed, and no link is followed to a directory in it", async () => {
      const { root, outside, swap, inside } = scene();
      const directory = await root.enter("/dir");
      swap();
      expect(await readdir(directory?.at(".") ?? "")).toEqual(["below", "file"]);
      renameSync(join(inside, "moved/below"), join(inside, "moved/was"));
      symlinkSync(outside, join(inside, "moved/below"));
      expect(directory && (await root.enterChild(directory, "below"))).toBeUndefined();
      directory?.close();
    });

    it("is refused from then on", async () => {
      const { root, swap } = scene();
      swap();
      const refused = { code: "invalid-path" };
      await expect(root.find("/dir/file")).rejects.toMatchObject(refused);
      await expect(root.enter("/dir")).rejects.toMatchObject(refused);
      await expect(root.make("/dir/new/er")).rejects.toMatchObject(refused);
    });
  },
);
