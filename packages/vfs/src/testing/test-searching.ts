import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { GrepResult } from "../backend.js";
import { anyText } from "./arbitraries.js";
import type { TestBackendOptions } from "./test-backend-options.js";

const lines = (result: GrepResult): number[] | undefined => result.matches?.map(({ line }) => line);
const places = ({ matches = [] }: GrepResult) => matches.map(({ path, line }) => `${path}:${line}`);

/** Laws of `grep`. */
export function testGrep(create: TestBackendOptions["create"], numRuns: number): void {
  testLiteral(create, numRuns);
  testSpread(create);
  testOptions(create);
  testLongLines(create);
}

function testLiteral(create: TestBackendOptions["create"], numRuns: number): void {
  it("finds the line of every occurrence of a text", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.nat(), fc.integer({ min: 1, max: 4 }), async (text, at, length) => {
        const all = text.split("\n");
        const line = all[at % all.length] ?? "";
        const pattern = line.slice(at % (line.length + 1)).slice(0, length) || "absent";
        const backend = await create({ "/d/file.txt": text });
        const wanted = all.flatMap((candidate, index) => (candidate.includes(pattern) ? [index + 1] : []));
        expect(lines(await backend.grep(pattern))).toEqual(wanted);
      }),
      { numRuns },
    );
  });

  it("treats patterns as plain text, and returns path, line and text", async () => {
    const backend = await create({ "/a.txt": "a.c\nabc\r\na.c(\r\n", "/b.png": "a.c" });
    expect(await backend.grep("a.c")).toEqual({
      matches: [
        { path: "/a.txt", line: 1, text: "a.c" },
        { path: "/a.txt", line: 3, text: "a.c(" },
      ],
    });
  });

  it("searches below a path or in one file, and only files that match a glob", async () => {
    const backend = await create({ "/a.md": "x", "/d/b.md": "x", "/d/c.txt": "x", "/dd/e.md": "x" });
    const paths = async (path?: string | null, glob?: string): Promise<string[] | undefined> =>
      (await backend.grep("x", path, glob)).matches?.map((match) => match.path);
    expect(await paths("/d")).toEqual(["/d/b.md", "/d/c.txt"]);
    expect(await paths("/d/c.txt")).toEqual(["/d/c.txt"]);
    expect(await paths(null, "*.md")).toEqual(["/a.md", "/d/b.md", "/dd/e.md"]);
    expect(await paths("/", "d/*")).toEqual(["/d/b.md", "/d/c.txt"]);
    expect(await paths("/", "/d/*.md")).toEqual(["/d/b.md"]);
  });

  it("stops at maxCount, and reports truncation only when there are more matches", async () => {
    const backend = await create({ "/a": "x\nx\n", "/b": "x" });
    expect(await backend.grep("x", "/", null, 2)).toMatchObject({ truncated: true });
    expect(lines(await backend.grep("x", "/", null, 2))).toEqual([1, 2]);
    expect((await backend.grep("x", "/", null, 3)).truncated).toBeUndefined();
  });
}

function testSpread(create: TestBackendOptions["create"]): void {
  const many = "x\n".repeat(3_000);
  const spread = { spread: true };

  it("shows the one match of a file among files with thousands, and counts all", async () => {
    const backend = await create({ "/a": many, "/b": many, "/c": many, "/d/needle": "y\nx" });
    const result = await backend.grep("x", "/", null, 10, spread);
    expect(places(result)).toContain("/d/needle:2");
    expect(result.truncated).toBe(true);
    expect(result.counts).toEqual([
      { path: "/a", matches: 3_000 },
      { path: "/b", matches: 3_000 },
      { path: "/c", matches: 3_000 },
      { path: "/d/needle", matches: 1 },
    ]);
    expect(result.matches?.length).toBeLessThan(30);
  });

  it("takes the first matches of each file, with their lines around, and all where they fit", async () => {
    const backend = await create({ "/a": "1\nx\n3\nx\n5\nx\n7", "/b": "x" });
    const two = await backend.grep("x", "/", null, 2, { ...spread, before: 1, after: 1 });
    expect(places(two)).toEqual(["/a:1", "/a:2", "/a:3", "/b:1"]);
    const all = await backend.grep("x", "/", null, 4, spread);
    expect(places(all)).toEqual(["/a:2", "/a:4", "/a:6", "/b:1"]);
    expect(all.truncated).toBeUndefined();
  });
}

function testOptions(create: TestBackendOptions["create"]): void {
  it("matches regular expressions, and ignores case with ignoreCase", async () => {
    const backend = await create({ "/a": "Error 42\r\nerror\nerr 7\n" });
    expect(lines(await backend.grep("err.*\\d$", "/", null, null, { regex: true }))).toEqual([3]);
    expect(
      lines(await backend.grep("err.*\\d$", "/", null, null, { regex: true, ignoreCase: true })),
    ).toEqual([1, 3]);
    expect(lines(await backend.grep("ERROR", "/", null, null, { ignoreCase: true }))).toEqual([1, 2]);
  });

  it("returns context lines once, in order, and marks them", async () => {
    const backend = await create({ "/a": "1\n2\nhit\n4\nhit\n6\n7\n8\n9\nhit\n" });
    const { matches } = await backend.grep("hit", "/", null, null, { before: 1, after: 2 });
    const shown = matches?.map(({ line, text, context }) => `${line}${context === true ? "-" : ":"}${text}`);
    expect(shown).toEqual(["2-2", "3:hit", "4-4", "5:hit", "6-6", "7-7", "9-9", "10:hit"]);
  });

  it("returns an error with the way out for a bad pattern", async () => {
    const backend = await create({ "/a": "x" });
    expect((await backend.grep("")).error).toContain("Give the text");
    expect((await backend.grep("a\nb")).error).toContain("one line");
    expect((await backend.grep("(", "/", null, null, { regex: true })).error).toContain('"("');
    expect((await backend.grep("(?=x)", "/", null, null, { regex: true })).error).toContain("lookaround");
  });

  it("answers within seconds to expressions that make backtracking engines hang", async () => {
    const backend = await create({ "/a": `${"a".repeat(50_000)}!` });
    const start = performance.now();
    const result = await backend.grep("(a+)+$", "/", null, null, { regex: true });
    expect(result).toEqual({ matches: [] });
    expect(performance.now() - start).toBeLessThan(4000);
  });
}

function testLongLines(create: TestBackendOptions["create"]): void {
  it("returns the part of a long line around each match, how much it leaves out, and its byte range", async () => {
    const text = `short\n${"é".repeat(400_000)}needle${"x".repeat(5000)}needle😀\n`;
    const backend = await create({ "/big.json": text });
    const { matches } = await backend.grep("needle", "/", null, null, { maxLineLength: 100 });
    expect(matches).toHaveLength(2);
    const [first, second] = matches ?? [];
    expect(first?.text).toMatch(
      /^\[… 399953 characters before\] é{47}needlex{47} \[4961 characters after …\]$/,
    );
    expect(second?.text).toMatch(/before\] x{92}needle😀$/u);
    expect(lines({ matches: matches ?? [] })).toEqual([2, 2]);
    const read = await backend.readBytes("/big.json", first?.range ?? { start: 0, end: 0 });
    expect(read.content).toBe(`${"é".repeat(47)}needle${"x".repeat(47)}`);
  });

  it("returns each part of a long line that an expression matches, and near matches together", async () => {
    const backend = await create({ "/big": `n1, n1b${"x".repeat(300)}n2${"x".repeat(300)}n3` });
    const { matches } = await backend.grep("n\\d", "/", null, null, { regex: true, maxLineLength: 20 });
    expect(matches?.map(({ text }) => /n\d/.exec(text)?.[0])).toEqual(["n1", "n2", "n3"]);
  });

  it("returns short lines whole", async () => {
    const line = "x".repeat(1000);
    const backend = await create({ "/a": line });
    expect(await backend.grep("x")).toEqual({ matches: [{ path: "/a", line: 1, text: line }] });
  });
}

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

  it("returns size and time", async () => {
    const backend = await create({ "/a": "four" });
    const { files } = await backend.glob("*");
    expect(files).toEqual((await backend.ls("/")).files);
    expect(files?.[0]?.size).toBe(4);
  });

  it("returns an error for a bad pattern", async () => {
    const backend = await create(tree);
    for (const pattern of ["", "[z-a]", "x".repeat(20_000)]) {
      expect((await backend.glob(pattern)).error).toMatch(/pattern|glob/);
    }
  });

  it("answers within seconds to globs that make backtracking engines hang", async () => {
    const backend = await create({ [`/${"a".repeat(250)}`]: "" });
    const start = performance.now();
    await backend.glob(`${"*a".repeat(60)}b`);
    await backend.glob(`{${"a,".repeat(200)}a}`.repeat(10));
    expect(performance.now() - start).toBeLessThan(4000);
  });
}
