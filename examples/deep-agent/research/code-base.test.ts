import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPackages } from "../job/find-packages.js";
import { folderOf, manifest } from "../testing/package-folder.js";
import { CodeBase } from "./code-base.js";
import { researchTools } from "./research-tools.js";

function codeOf(files: Readonly<Record<string, string>>): CodeBase {
  const inside = Object.entries(files).map(([path, text]) => [`p/${path}`, text]);
  const root = folderOf({ "p/package.json": manifest("p"), ...Object.fromEntries(inside) });
  return new CodeBase(findPackages(root));
}

describe("CodeBase", () => {
  it("finds every line that contains a text, and no other", () => {
    const line = fc.constantFrom("ab", "a", "", "bab ab", "über ab", "\r", "x ab\r");
    const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));
    const paths = ["a.js", "b/c.ts", "b.mjs"];
    fc.assert(
      fc.property(fc.tuple(text, text, text), (texts) => {
        const files = Object.fromEntries(paths.map((path, index) => [path, texts[index] ?? ""]));
        const code = codeOf(files);
        const expected = paths
          .toSorted()
          .flatMap((path) =>
            (files[path] ?? "")
              .split("\n")
              .flatMap((each, index) => (each.includes("ab") ? [`p/${path}:${index + 1}: ${each}`] : [])),
          );
        expect(code.packages.flatMap((each) => code.search(each, "ab"))).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("searches source files only", () => {
    const code = codeOf({ "a.js": "needle", "a.js.map": "needle", "a.json": "needle" });
    expect(code.packages.flatMap((each) => code.search(each, "needle"))).toEqual(["p/a.js:1: needle"]);
  });
});

describe("the research tools", () => {
  const code = codeOf({ "a.js": "one\ntwo\n" });
  const call = (name: string, args: object): Promise<unknown> => {
    const found = researchTools(code).find((each) => each.name === name);
    return found?.invoke(args) ?? Promise.reject(new Error(`no tool ${name}`));
  };

  it("read whole files", async () => {
    const text = await call("read_source", { package: "p", file: "a.js" });
    expect(text).toBe("==> p/a.js (8 bytes) <==\none\ntwo\n");
  });

  it("answer a wrong name with what to do, and never leave the package", async () => {
    expect(await call("list_files", { package: "q" })).toContain("Call list_packages");
    const outside = await call("read_source", { package: "p", file: "../../etc/passwd" });
    expect(outside).toContain("Call list_files");
    expect(await call("search_code", { text: "" })).toContain("empty");
  });
});
