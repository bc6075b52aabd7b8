import { describe, expect, it, vi } from "vitest";
import { CompositeBackend } from "../backends/composite-backend.js";
import { MemoryBackend } from "../backends/driver-backend.js";
import { measureHold } from "../testing/event-loop-hold.js";
import { measureExpression } from "./measure-expression.js";
import { compileRegex } from "./regex.js";

/** CPU milliseconds: a turn, one step, and what the garbage collector and the compiler of the engine add. */
const mostHeld = 250;

/** A log of one line: 1 MB, with an error in every seventh entry. */
const json = JSON.stringify(
  Array.from({ length: 18_000 }, (_, id) => ({
    id,
    level: id % 7 === 0 ? "error" : "info",
    text: `data ${id}`,
  })),
);

/** Text of two letters in no order, which makes `slow` build a new state for each of them. */
const letters = (length: number): string => {
  let seed = 1;
  return Array.from({ length }, () => ((seed = (seed * 48_271) % 2_147_483_647) & 64 ? "a" : "b")).join("");
};
const slow = "(?:[ab]*a){4}[ab]{60}[cd]";

async function over(files: Readonly<Record<string, string>>): Promise<MemoryBackend> {
  const backend = new MemoryBackend();
  for (const [path, text] of Object.entries(files)) await backend.write(path, text);
  return backend;
}

const alternatives = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => of(index)).join("|");

describe("a search", () => {
  it("takes measurable time if it is done in one step, as a control", async () => {
    const start = process.cpuUsage();
    const { longest } = await measureHold(async () => {
      while (process.cpuUsage(start).user < 300_000) JSON.stringify(json);
    });
    expect(longest).toBeGreaterThan(mostHeld);
  });

  it.each(["error(.*failed)?", "a(.*z)?", "(e|r|o)*(.*failed)?", "^.*level.*$", "(.*)(.*)(.*)[#~]"])(
    "for %s holds the event loop for a moment only, and finds what it looks for in a line of 1 MB",
    async (pattern) => {
      const backend = await over({ "/log.json": `${json} zz#` });
      const search = async () => backend.grep(pattern, "/", null, 100, { regex: true, spread: true });
      const { value, longest, total } = await measureHold(search);
      expect(longest).toBeLessThan(mostHeld);
      expect(total).toBeLessThan(8_000);
      expect(value.matches?.length).toBeGreaterThan(0);
    },
  );

  it.each([
    ["200 alternatives", alternatives(200, (index) => `e.{${index}}[#~]`)],
    ["700 alternatives", alternatives(700, (index) => `e.{${index}}[#~]`)],
    ["a count of counts", "(?:.{1000}|.{999}){1000}"],
    ["nested counts", "(((a{100}){100}){100}){100}"],
    ["many long counts", ".{1000}".repeat(150)],
  ])("for %s is refused before it is compiled, with the limit and the way out", async (_, pattern) => {
    const backend = await over({ "/a": "e".repeat(100_000) });
    const { value, longest } = await measureHold(async () =>
      backend.grep(pattern, "/", null, 9, { regex: true }),
    );
    expect(value.error).toMatch(
      /limit is 1000\. Use fewer alternatives|over 2000 characters long\. Search for/,
    );
    expect(longest).toBeLessThan(mostHeld);
  });

  it("ends after its time limit, with what it has found and how to go on", async () => {
    const backend = await over({ "/b.txt": `${letters(1_000_000)}c`, "/a.txt": `${"a".repeat(64)}c` });
    const options = { regex: true, timeLimit: 300 };
    const { value, total } = await measureHold(async () => backend.grep(slow, "/", null, null, options));
    expect(total).toBeLessThan(1_500);
    expect(value).toMatchObject({ matches: [{ path: "/a.txt" }], truncated: true });
    expect(value.note).toMatch(
      /^The search ended at \/b\.txt after 0\.3 s of computing; .* Narrow the pattern/,
    );
  });

  it("in a tree of mounts has one time limit, and names the file by its whole path", async () => {
    const files = { "/slow.txt": letters(1_000_000) };
    const tree = new CompositeBackend(await over({ "/a.txt": `${"a".repeat(64)}c` }), {
      "/m": await over(files),
      "/n": await over(files),
    });
    const options = { regex: true, timeLimit: 300 };
    const { value, total } = await measureHold(async () => tree.grep(slow, "/", null, null, options));
    expect(total).toBeLessThan(1_500);
    expect(value).toMatchObject({ matches: [{ path: "/a.txt" }], truncated: true });
    expect(value.note).toContain("ended at /m/slow.txt");
  });

  it("ends when its signal aborts, with the reason of the signal", async () => {
    const backend = await over({ "/letters": letters(1_000_000) });
    const tree = new CompositeBackend(new MemoryBackend(), { "/m": backend });
    const options = { regex: true, signal: AbortSignal.timeout(60) };
    await expect(tree.grep(slow, "/", null, null, options)).rejects.toMatchObject({ name: "TimeoutError" });
    await expect(tree.glob("**", "/", { signal: AbortSignal.abort("stop") })).rejects.toBe("stop");
  });

  it("lets a short search pass while many long ones run", async () => {
    const backend = await over({ "/letters": letters(1_000_000), "/short.txt": "needle" });
    const controller = new AbortController();
    const options = { regex: true, timeLimit: 60_000, signal: controller.signal };
    const { value, longest } = await measureHold(async () => {
      const long = Array.from({ length: 4 }, async () => backend.grep(slow, "/letters", null, null, options));
      const { matches } = await backend.grep("needle", "/short.txt");
      controller.abort("enough");
      return { matches, long: await Promise.allSettled(long) };
    });
    expect(value.matches).toHaveLength(1);
    expect(value.long).toEqual(Array.from({ length: 4 }, () => ({ status: "rejected", reason: "enough" })));
    expect(longest).toBeLessThan(mostHeld);
  });

  it("names the line in which a match longer than a part may be missed", async () => {
    const backend = await over({ "/long": `start${"-".repeat(200_000)}end`, "/short": "start-end" });
    const grep = async (pattern: string) => backend.grep(pattern, "/", null, null, { regex: true });
    const open = await grep("start.*end");
    expect(open.matches).toEqual([{ path: "/short", line: 1, text: "start-end" }]);
    expect(open.note).toMatch(
      /^\/long has a line of over \d+ characters, .* over \d+ characters may be missing\./,
    );
    const bounded = await grep("start.{0,200}");
    expect(bounded.matches?.map(({ path }) => path)).toEqual(["/long", "/short"]);
    expect(bounded.note).toBeUndefined();
  });
});

describe("a glob", () => {
  it.each([
    ["100,000 open braces", "{".repeat(100_000)],
    ["nested braces", "{a,".repeat(300) + "b" + "}".repeat(300)],
    ["many stars", "*a".repeat(450)],
    ["many groups of alternatives", "{a,b,c}".repeat(140)],
    ["open sets", "[".repeat(1_000)],
  ])("of %s holds the event loop for a moment only", async (_, pattern) => {
    const names = Array.from({ length: 300 }, (_name, index) => [`/${"a".repeat(200)}${index}`, ""]);
    const backend = await over(Object.fromEntries(names) as Record<string, string>);
    const { longest, total } = await measureHold(async () => backend.glob(pattern));
    expect(longest).toBeLessThan(mostHeld);
    expect(total).toBeLessThan(8_000);
  });

  it("over its length is refused with the way out", async () => {
    const { error } = await new MemoryBackend().glob("{".repeat(100_000));
    expect(error).toMatch(/is over 1000 characters long\. Shorten it/);
  });

  it("ends after its time limit, with the files it has found", async () => {
    const backend = await over({ "/a.md": "", "/b.md": "", "/c.md": "", "/d.md": "", "/e.md": "" });
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
    const result = await backend.glob("*.md", "/", { timeLimit: 20 }).finally(() => clock.mockRestore());
    expect(result.files?.map(({ path }) => path)).toEqual(["/a.md", "/b.md"]);
    expect(result.truncated).toBe(true);
    expect(result.note).toContain("ended at /b.md after 0.02 s of computing");
  });
});

describe("measureExpression", () => {
  it.each([
    "abc|def",
    "(a|b)*c{2,5}",
    "[a-z]{10}\\d{3,}x?",
    "(?:ab){20}(?i:c)",
    "\\Qa.b*\\E+",
    "[]a]{5}",
    "x{0}y{0,3}",
    "((a{3}){4}){5}",
    "[[:alpha:]]{7}\\p{Greek}\\x{1F600}",
    "a*?|(?:b{2}){3}",
  ])("is at least the size of the program of %s", async (source) => {
    const compiled = await compileRegex(source);
    expect(measureExpression(source).size + 3).toBeGreaterThanOrEqual(compiled.size);
    expect(measureExpression(source).size).toBeLessThan(4 * compiled.size + 10);
  });

  it.each([
    ["a{3}|bc", 6],
    ["(ab?){2}", 8],
    ["a*", Infinity],
    ["^$", 4],
    ["x{2,}", Infinity],
  ])("bounds the longest match of %s by %d characters", (source, longest) => {
    expect(measureExpression(source).longest).toBe(longest);
  });
});
