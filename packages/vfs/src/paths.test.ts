import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileError } from "./errors.js";
import { normalizePath } from "./paths.js";

describe("normalizePath", () => {
  it.each([
    ["/", "/"],
    ["//a///b/", "/a/b"],
    ["/a/./b/../c", "/a/c"],
    ["a/b", "/a/b"],
    ["/...", "/..."],
    ["/~/%2e%2e/x", "/~/%2e%2e/x"],
  ])("normalizes %j to %j", (path, normal) => expect(normalizePath(path)).toBe(normal));

  it.each([
    "",
    "/..",
    "/a/../../b",
    "..\\x",
    "/a\\b",
    "/a\0",
    "/\udc00",
    `/${"é".repeat(128)}`,
    "/ab".repeat(400),
  ])("refuses %j", (path) =>
    expect(() => normalizePath(path)).toThrow(expect.objectContaining({ code: "invalid-path" })),
  );

  it("refuses a value that is not a string, and names the value", () => {
    const given: unknown[] = [undefined, 7, {}];
    for (const value of given) expect(() => normalizePath(value as string)).toThrow(/is not a path/);
  });

  const part = fc.constantFrom("a", "a.b", "..", ".", "", "b c", "é", "/", "\\", "\0", "x".repeat(255));
  const anyPath = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(part).map((parts) => parts.join("/")),
    fc.array(part).map((parts) => `/${parts.join("/")}`),
  );

  it("returns a fixed point without dots or empty names, or refuses, for any text", () => {
    fc.assert(
      fc.property(anyPath, (text) => {
        const normal = tryNormalize(text);
        expect(normalizePath(normal)).toBe(normal);
        expect(normal).toMatch(/^\/(?:(?!\.{1,2}(?:\/|$))[^/\0\\]+(?:\/(?!$)|$))*$/);
      }),
    );
  });

  it("ignores a slash at the end of any path", () => {
    fc.assert(
      fc.property(anyPath, (text) => {
        expect(tryNormalize(`${text}/`)).toBe(tryNormalize(text));
      }),
    );
  });
});

/** Returns the root, which is normal, for a refused path. Any other error fails the property. */
function tryNormalize(text: string): string {
  try {
    return normalizePath(text);
  } catch (error) {
    if (FileError.isInstance(error)) return "/";
    throw error;
  }
}
