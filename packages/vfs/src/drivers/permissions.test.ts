import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DirectoryBackend } from "../backends/driver-backend.js";
import { DirectoryDriver } from "./directory-driver.js";

const otherUser = Number(process.env["PALIMPSEST_OTHER_USER"]);
const isAllowedAll = process.getuid?.() === 0 && otherUser === 0;
const base = mkdtempSync(join(tmpdir(), "vfs-permissions-"));
const at = (path: string): string => join(base, path);
const text = new TextEncoder().encode("a needle");

// Root may do everything, so the tests run as another user.
beforeAll(async () => {
  chmodSync(base, 0o777);
  if (otherUser > 0) process.seteuid?.(otherUser);
  const driver = new DirectoryDriver(base);
  for (const path of ["/open.md", "/part/secret.md", "/part/open.md", "/fixed/old.md", "/shut/in.md"])
    await driver.write(path, text);
  chmodSync(at("part/secret.md"), 0o000);
  chmodSync(at("fixed"), 0o555);
  chmodSync(at("shut"), 0o000);
});

afterAll(() => {
  for (const path of ["fixed", "shut"]) chmodSync(at(path), 0o777);
  if (otherUser > 0) process.seteuid?.(0);
  rmSync(base, { recursive: true, force: true });
});

const unreadable = (path: string): string =>
  `${path} cannot be read: this process has no permission (EACCES). Go on without it, or change the permissions.`;
const unwritable = (path: string): string =>
  `${path} was not changed: this process has no permission to write there (EACCES). Use another path, or change the permissions.`;

describe.runIf(process.platform !== "win32" && !isAllowedAll)(
  "a directory with parts that the process may not use",
  () => {
    it("refuses what needs a permission, with the path and the way out", async () => {
      const backend = new DirectoryBackend(base);
      expect(await backend.read("/part/secret.md")).toEqual({ error: unreadable("/part/secret.md") });
      expect(await backend.read("/shut/in.md")).toEqual({ error: unreadable("/shut/in.md") });
      expect(await backend.ls("/shut")).toEqual({ error: unreadable("/shut") });
      expect(await backend.grep("needle", "/part/secret.md")).toEqual({
        error: unreadable("/part/secret.md"),
      });
      expect(await backend.write("/fixed/new.md", "text")).toEqual({ error: unwritable("/fixed/new.md") });
      expect(await backend.write("/fixed/new/er.md", "text")).toEqual({
        error: unwritable("/fixed/new/er.md"),
      });
      expect(await backend.edit("/fixed/old.md", "a", "b")).toEqual({ error: unwritable("/fixed/old.md") });
      expect(await backend.delete("/fixed/old.md")).toEqual({ error: unwritable("/fixed/old.md") });
      await expect(new DirectoryDriver(base).readAll(["/open.md", "/part/secret.md"])).rejects.toMatchObject({
        code: "unreadable",
      });
    });

    it("is listed and searched without them, and a note says which", async () => {
      const backend = new DirectoryBackend(base);
      const { files } = await backend.ls("/");
      expect(files?.map(({ path, note }) => [path, note])).toEqual([
        ["/fixed/", undefined],
        ["/open.md", undefined],
        ["/part/", undefined],
        ["/shut/", unreadable("/shut")],
      ]);
      const found = await backend.glob("**/*.md");
      expect(found.files?.map(({ path }) => path)).toEqual([
        "/fixed/old.md",
        "/open.md",
        "/part/open.md",
        "/part/secret.md",
      ]);
      expect(found.note).toBe(unreadable("/shut"));
      const part = await backend.grep("needle", "/part");
      expect([part.matches?.map(({ path }) => path), part.note]).toEqual([
        ["/part/open.md"],
        unreadable("/part/secret.md"),
      ]);
      const all = await backend.grep("needle");
      expect(all.matches?.map(({ path }) => path)).toEqual(["/fixed/old.md", "/open.md", "/part/open.md"]);
    });

    it("deletes nothing of a directory that it cannot list", async () => {
      const backend = new DirectoryBackend(base);
      await backend.write("/some/open.md", "text");
      await backend.write("/some/shut/in.md", "text");
      chmodSync(at("some/shut"), 0o000);
      expect(await backend.delete("/some")).toEqual({ error: unreadable("/some/shut") });
      expect((await backend.read("/some/open.md")).content).toBe("text");
      chmodSync(at("some/shut"), 0o777);
      expect(await backend.delete("/some")).toEqual({ path: "/some" });
    });
  },
);
