import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOf, manifest } from "../testing/package-folder.js";
import { findPackages } from "./find-packages.js";

describe("findPackages", () => {
  it("finds scoped and unscoped packages of a plain folder, sorted by name", () => {
    const root = folderOf({
      "zod/package.json": manifest("zod"),
      "@a/b/package.json": manifest("@a/b"),
      "broken/package.json": "{",
      "nameless/package.json": "{}",
      "no-manifest/index.js": "",
    });
    expect(findPackages(root).map((each) => each.name)).toEqual(["@a/b", "zod"]);
  });

  it("finds the real packages of a pnpm store, and of two versions the higher", () => {
    const root = folderOf({
      ".pnpm/a@1.9.0/node_modules/a/package.json": manifest("a", { version: "1.9.0" }),
      ".pnpm/a@1.10.0/node_modules/a/package.json": manifest("a", { version: "1.10.0" }),
    });
    const store = join(root, ".pnpm/a@1.9.0/node_modules");
    symlinkSync(join(root, ".pnpm/a@1.10.0/node_modules/a"), join(store, "link"));
    expect(findPackages(root)).toEqual([
      { name: "a", version: "1.10.0", folder: join(root, ".pnpm/a@1.10.0/node_modules/a") },
    ]);
  });

  it("finds nothing in a folder without packages", () => {
    expect(findPackages(folderOf({ "readme.md": "" }))).toEqual([]);
  });
});
