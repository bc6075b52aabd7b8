import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuiltin } from "node:module";
import { expect, it } from "vitest";

const src = dirname(fileURLToPath(import.meta.url));

/** Returns the packages that a module needs at run time, by whatever way, and how many of our modules it reaches. */
function importsOf(entry: string) {
  const packages = new Set<string>();
  const modules = new Set<string>();
  const open = [join(src, entry)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (modules.has(path)) continue;
    modules.add(path);
    const source = readFileSync(path, "utf8");
    for (const [, name = ""] of source.matchAll(
      /^(?:import|export) (?!type\b)[^;]*?from "([^"]+)";|^import "[^"]+";/gm,
    )) {
      if (name.startsWith(".")) open.push(join(dirname(path), name.replace(/\.js$/, ".ts")));
      else packages.add(name);
    }
  }
  return { packages: [...packages].toSorted(), modules: modules.size };
}

it("needs no langchain at its main entry", () => {
  const { packages, modules } = importsOf("index.ts");
  expect(modules).toBeGreaterThan(30);
  expect(packages.filter((name) => /^langchain(\/|$)/.test(name))).toEqual([]);
  expect(packages).toEqual(expect.arrayContaining(["@langchain/langgraph", "@palimpsest/context"]));
});

it("needs langchain at its middleware entry, and there alone", () => {
  expect(importsOf("middleware/index.ts").packages).toContain("langchain");
});

/** Returns the packages that the declarations of an entry name, inferred types included. */
function declaredBy(entry: string): Set<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const open = [join(src, "../dist", entry)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
      if (name.startsWith(".")) open.push(join(dirname(path), name.replace(/\.js$/, ".d.ts")));
      else packages.add(name);
    }
  }
  return packages;
}

it("declares types that need langchain at its middleware entry alone", () => {
  expect(declaredBy("index.d.ts")).toContain("@langchain/core/tools");
  expect(declaredBy("index.d.ts")).not.toContain("langchain");
  expect(declaredBy("threads/index.d.ts")).not.toContain("langchain");
  expect(declaredBy("middleware/index.d.ts")).toContain("langchain");
});

it("needs no package that it does not declare", () => {
  const manifest = JSON.parse(readFileSync(join(src, "../package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  const declared = Object.keys({ ...manifest["dependencies"], ...manifest["peerDependencies"] });
  const imported = [...importsOf("index.ts").packages, ...importsOf("middleware/index.ts").packages];
  const packages = imported.filter((name) => !isBuiltin(name));
  const roots = packages.map((name) =>
    name
      .split("/")
      .slice(0, name.startsWith("@") ? 2 : 1)
      .join("/"),
  );
  expect(roots.filter((name) => !declared.includes(name))).toEqual([]);
});
