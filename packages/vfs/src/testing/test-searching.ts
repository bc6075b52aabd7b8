import { expect, it } from "vitest";
import type { TestBackendOptions } from "./test-backend-options.js";

const tree = {
  "/a.md": "",
  "/b.txt": "",
  "/docs/c.md": "",
  "/docs/deep/d.md": "",
  "/docs/deep/.hidden.md": "",
  "/docsx/e.md": "",
};

const found: readonly [pattern: string, base: string, paths: readonly string[]][] = [
  ["*.md", "/", ["/a.md"]],
  ["**/*.md", "/", ["/a.md", "/docs/c.md", "/docs/deep/.hidden.md", "/docs/deep/d.md", "/docsx/e.md"]],
  ["*.md", "/docs", ["/docs/c.md"]],
  ["**", "/docs/", ["/docs/c.md", "/docs/deep/.hidden.md", "/docs/deep/d.md"]],
  ["docs/*/d.md", "/", ["/docs/deep/d.md"]],
  ["/docs/**/d.md", "/docs/deep", ["/docs/deep/d.md"]],
  ["{a,b}.{md,txt}", "/", ["/a.md", "/b.txt"]],
  ["[!a].???", "/", ["/b.txt"]],
  ["!**/*.md", "/", ["/b.txt"]],
  ["*", "/a.md", ["/a.md"]],
  ["*.none", "/", []],
];

/** Laws of `glob`. */
export function testSearching(create: TestBackendOptions["create"]): void {
  it.each(found)("finds %j at %s", async (pattern, base, paths) => {
    const backend = await create(tree);
    const { files } = await backend.glob(pattern, base);
    expect(files?.map(({ path }) => path)).toEqual(paths);
  });

  it("carries size and time", async () => {
    const backend = await create({ "/a": "four" });
    const { files } = await backend.glob("*");
    expect(files).toEqual((await backend.ls("/")).files);
    expect(files?.[0]?.size).toBe(4);
  });

  it("answers a bad pattern with an error", async () => {
    const backend = await create(tree);
    for (const pattern of ["", "[z-a]", "x".repeat(20_000)]) {
      expect((await backend.glob(pattern)).error).toMatch(/pattern|glob/);
    }
  });

  it("answers within seconds to patterns that send backtracking engines round in circles", async () => {
    const backend = await create({ [`/${"a".repeat(250)}`]: "" });
    const start = performance.now();
    await backend.glob(`${"*a".repeat(60)}b`);
    await backend.glob(`{${"a,".repeat(200)}a}`.repeat(10));
    expect(performance.now() - start).toBeLessThan(4000);
  });
}
