// Reads the source files of the repository, and what each imports and exports.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../run.mjs";

/** @typedef {ReadonlyMap<string, string>} Sources Path from the root of the repository -> text. */

const skipped = /(^|\/)(node_modules|dist|out|\.docs)(\/|$)/;

/** Returns every TypeScript file of packages, examples and evals, tests included. */
export function readSources() {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/src`);
  const folders = [...packages, "examples", "evals"].filter((folder) => existsSync(join(root, folder)));
  return new Map(folders.flatMap((folder) => filesBelow(folder)));
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (skipped.test(path)) return [];
    if (entry.isDirectory()) return filesBelow(path);
    return path.endsWith(".ts") ? [[path, readFileSync(join(root, path), "utf8")]] : [];
  });
}

/** True for tests, their helpers and configuration: no rule of the structure holds for them. */
export function isTest(path) {
  return /\.(test|test-d|config)\.ts$|\/testing\//.test(path);
}

/** Returns the files of the same package that a file imports. Pure. */
export function importsOf(path, text) {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map(([, to]) => to);
  return specifiers.map((to) => resolve(path, to));
}

/** Returns the names that a module exports, those of `export *` included. Pure. */
export function exportsOf(path, sources) {
  const text = sources.get(path);
  if (text === undefined) throw new Error(`${path} is exported from, but there is no such file`);
  const starred = [...text.matchAll(/^export \* from "([^"]+)"/gm)];
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    list.split(",").flatMap((item) => item.trim().split(/\s+/).at(-1) || []),
  );
  const declaration =
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|interface|type|enum) (\w+)/gm;
  const declared = [...text.matchAll(declaration)].map(([, name]) => name);
  const further = starred.flatMap(([, to]) => exportsOf(resolve(path, to), sources));
  return [...new Set([...listed, ...declared, ...further])].toSorted((a, b) => (a < b ? -1 : 1));
}

function resolve(path, specifier) {
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts");
}
