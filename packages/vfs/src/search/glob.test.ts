import * as fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { globFilter, globNameFilter } from "./glob.js";

const piece = fc.constantFrom(
  "a",
  "b",
  "md",
  ".",
  "*",
  "?",
  "[ab]",
  "[a-c]",
  "{a,b}",
  "a{md,}",
  "x{a,b.md}y",
  "\\*",
);
const globName = fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
const glob = fc
  .array(fc.oneof(globName, fc.constant("**")), { minLength: 1, maxLength: 4 })
  .map((names) => names.join("/"))
  // Left out is where picomatch goes its own way: runs of stars and dots, and `a/**` for a itself.
  .filter((text) => !/\*\*\/\*\*|\*\*[^/]|[^/]\*\*|\.\.|^\.|\/\.|\/\*\*$|\*\?|\?\*/.test(text));
const name = fc.array(fc.constantFrom("a", "b", "c", "md", ".md", "xay", "*"), {
  minLength: 1,
  maxLength: 3,
});
const path = fc
  .array(
    name.map((parts) => parts.join("")),
    { minLength: 1, maxLength: 4 },
  )
  .map((names) => names.join("/"));

describe("globFilter", () => {
  it("agrees with picomatch", () => {
    fc.assert(
      fc.property(glob, path, (pattern, candidate) => {
        const expected = picomatch(pattern, { dot: true, noextglob: true })(candidate);
        expect([pattern, candidate, globFilter(pattern, "/")(`/${candidate}`)]).toEqual([
          pattern,
          candidate,
          expected,
        ]);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["**/a", "/a", true],
    ["**/a", "/x/y/a", true],
    ["**/a", "/xa", false],
    ["a/**/b", "/a/b", true],
    ["a/**", "/a/b/c", true],
    ["a/**", "/ab", false],
    ["*", "/a/b", false],
    ["?", "/😀", true],
    ["[!a]", "/b", true],
    ["[!a]{b,}", "/a", false],
    ["a[!b]c", "/a/c", false],
    ["{a{b,c},d}", "/ac", true],
    ["{a}", "/{a}", true],
    ["{a,b", "/{a,b", true],
    ["a(b)+$", "/a(b)+$", true],
    ["[", "/[", true],
    ["]", "/]", true],
    ["\\*", "/*", true],
    ["./a", "/a", true],
    ["!a", "/a", false],
    ["*\n*", "/a\nb", true],
  ])("says of %j and %j: %s", (pattern, candidate, expected) => {
    expect(globFilter(pattern, "/")(candidate)).toBe(expected);
  });

  it("reads a glob relative to the base, or as a whole path when it begins with a slash", () => {
    expect(globFilter("b/*", "/a")("/a/b/c")).toBe(true);
    expect(globFilter("/a/b/*", "/a")("/a/b/c")).toBe(true);
    expect(globFilter("!/a/b/*", "/a")("/a/b/c")).toBe(false);
    expect(globFilter("/b/*", "/a")("/a/b/c")).toBe(false);
  });
});

describe("globNameFilter", () => {
  it("matches names at any depth, and paths when the glob holds a slash", () => {
    expect(globNameFilter("*.md", "/a")("/a/b/c.md")).toBe(true);
    expect(globNameFilter("!*.md", "/a")("/a/b/c.md")).toBe(false);
    expect(globNameFilter("*/c.md", "/a")("/a/b/c.md")).toBe(true);
    expect(globNameFilter("*/c.md", "/")("/a/b/c.md")).toBe(false);
  });
});
