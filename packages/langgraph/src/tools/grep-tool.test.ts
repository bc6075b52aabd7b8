import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { grepTool } from "./grep-tool.js";

/** Returns the agent's `grep` over an archive with these files, by name. */
async function grepOver(contents: Readonly<Record<string, string>>, resultCharacters?: number) {
  const files = VirtualFilesystem.inMemory();
  const { archive } = files.thread("t");
  for (const [name, content] of Object.entries(contents)) await archive.append(`/context/${name}`, content);
  const tool = grepTool({ files, ...(resultCharacters === undefined ? {} : { resultCharacters }) });
  return async (args: Record<string, unknown>): Promise<string> =>
    String(await tool.invoke(args, inThread("t")));
}

/** A text in which so many lines match `hit`. */
function textOf(count: number): string {
  return Array.from({ length: count }, (_, line) => `hit ${line}`).join("\n");
}

const places = (text: string) =>
  [...text.matchAll(/^(\/context\/\S+?):(\d+): /gm)].map(([, ...at]) => at.join(":"));

it("shows the one match of a file among files with thousands, with the count of each", async () => {
  const noise = Array.from(
    { length: 5_000 },
    (_, line) => `GET /health hit by probe ${line} ${"-".repeat(60)}`,
  );
  const many = noise.join("\n");
  const grep = await grepOver({
    "a.log": many,
    "b.log": many,
    "c.log": many,
    "z.md": "the token hit R-4711",
  });
  const text = await grep({ pattern: "hit", path: "/context/" });
  const lines = text.split("\n");
  expect(lines[0]).toBe(
    "[15001 matches in 4 files: /context/z.md 1, /context/a.log 5000, /context/b.log 5000, /context/c.log 5000]",
  );
  expect(lines[1]).toBe("/context/z.md:1: the token hit R-4711");
  expect(text).toContain("[/context/a.log: matches 1-33 of 5000]");
  expect(lines.at(-1)).toBe("[14901 more: go on with page 2, or search more narrowly]");
  expect(text.length).toBeLessThan(20_000);
});

it("continues where the page before ended", async () => {
  const grep = await grepOver({ "a.log": textOf(150), "b.log": textOf(2) });
  const [first, second] = [await grep({ pattern: "hit" }), await grep({ pattern: "hit", page: 2 })];
  expect(places(first)).toHaveLength(100);
  expect(places(first).slice(0, 3)).toEqual(["/context/b.log:1", "/context/b.log:2", "/context/a.log:1"]);
  expect(places(second)[0]).toBe("/context/a.log:99");
  expect(second.split("\n").at(-1)).toBe("[/context/a.log: matches 99-150 of 150]");
  expect(await grep({ pattern: "hit", page: 3 })).toBe("[There is no page 3: the 152 matches end before it]");
});

it("shows matches that fit with the lines around them and no other text", async () => {
  const grep = await grepOver({ "a.log": "1\nhit\n3\n4\nhit\n6", "b.log": "hit" });
  expect(await grep({ pattern: "hit", context_lines: 1 })).toBe(
    [
      "/context/b.log:1: hit",
      "/context/a.log-1- 1",
      "/context/a.log:2: hit",
      "/context/a.log-3- 3",
      "/context/a.log-4- 4",
      "/context/a.log:5: hit",
      "/context/a.log-6- 6",
    ].join("\n"),
  );
});

it("shows a match without the lines around it if they alone would fill the page", async () => {
  const around = Array.from({ length: 20 }, () => "x".repeat(300)).join("\n");
  const grep = await grepOver({ "a.log": `${around}\nhit\n${around}`, "b.log": `${around}\nhit` }, 2_000);
  const text = await grep({ pattern: "hit", context_lines: 20 });
  expect(places(text)).toEqual(["/context/a.log:21"]);
  expect(text.length).toBeLessThan(2_000);
  expect(places(await grep({ pattern: "hit", context_lines: 20, page: 2 }))).toEqual(["/context/b.log:21"]);
});

it("says that it ran out of time, and how to go on", async () => {
  const files = VirtualFilesystem.inMemory();
  await files.thread("t").archive.append("/context/a.md", "data ".repeat(1_000_000));
  const tool = grepTool({ files, searchTimeLimit: 1 });
  const text = String(await tool.invoke({ pattern: "(a.?)+[^x]*#", regex: true }, inThread("t")));
  expect(text.split("\n")).toEqual([
    "No match so far for (a.?)+[^x]*# below /.",
    expect.stringMatching(/^\[The search ended at \/.* Narrow the pattern, the path or the glob\.\]$/),
  ]);
  expect(() => grepTool({ files, searchTimeLimit: 0 })).toThrow("searchTimeLimit");
});

it("refuses a page so late that its matches would fill the memory", async () => {
  const grep = await grepOver({ "a.log": textOf(10) });
  expect(await grep({ pattern: "hit", page: 1_000, max_matches: 1_000 })).toMatch(
    /^Error: page 1000 .* Narrow/,
  );
});

it("pages show every match once, within the size of a result, and no file is hidden by one with more", async () => {
  const counts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
  const sizes = { most: fc.integer({ min: 1, max: 50 }), characters: fc.integer({ min: 600, max: 3_000 }) };
  await fc.assert(
    fc.asyncProperty(counts, fc.record(sizes), async (matches, { most, characters }) => {
      const contents = Object.fromEntries(matches.map((count, at) => [`${at}.log`, textOf(count)]));
      const grep = await grepOver(contents, characters);
      const total = matches.reduce((sum, count) => sum + count, 0);
      const shown: string[][] = [];
      while (shown.flat().length < total) {
        const text = await grep({ pattern: "hit", page: shown.length + 1, max_matches: most });
        expect(text.length).toBeLessThanOrEqual(characters);
        expect(places(text)).not.toEqual([]);
        shown.push(places(text));
      }
      const all = matches.flatMap((count, at) =>
        Array.from({ length: count }, (_, line) => `/context/${at}.log:${line + 1}`),
      );
      expect(shown.flat().toSorted()).toEqual(all.toSorted());
      const turns = shown.map((page) => page.map((place) => Number(place.split(":")[1])));
      const newest = turns.map((page) => Math.max(...page));
      expect(turns.slice(1).filter((page, at) => Math.min(...page) < (newest[at] ?? 0))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
