// Lays out what a package publishes in its folder `.publish`; pnpm packs that folder (`publishConfig.directory`).
//
// Node reads, parses and links every module on its own, which takes longer than running them: the modules of a package become
// one file for each entry point and one for what they share. The declarations stay files of their own. Both exist as ES modules
// and as CommonJS, for compilers and test runners that know only the latter.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../run.mjs";

const folder = process.argv[2] ?? process.cwd();
const target = join(folder, ".publish");
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Files that the package reads beside its modules. */
const pages = existsSync(join(folder, "src/page")) ? ["dist/page.html"] : [];
/** Vitest, which the suites for tests import, refuses to be required. */
const isModuleOnly = (path) => path.startsWith("./dist/testing/");
const exported = Object.values(manifest.exports).flatMap((entry) => entry.default ?? []);
/** Entry points by name: `{ index: "./dist/index.js", "middleware/index": "./dist/middleware/index.js" }`. */
const named = (paths) =>
  Object.fromEntries(paths.map((path) => [path.replace(/^\.\/dist\/(.*)\.js$/, "$1"), path]));
const formats = [
  { format: "esm", extension: "js", entries: named([...exported, ...Object.values(manifest.bin ?? {})]) },
  { format: "cjs", extension: "cjs", entries: named(exported.filter((path) => !isModuleOnly(path))) },
];

/** Returns the declaration files that the entry points reach. */
function declarations(paths, seen = new Set()) {
  for (const path of paths.filter((path) => !seen.has(path))) {
    seen.add(path);
    const imports = readFileSync(path, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]*)\.js"/g);
    declarations(
      [...imports].map(([, name]) => join(dirname(path), `${name}.d.ts`)),
      seen,
    );
  }
  return [...seen];
}

/** Copies declarations; those of CommonJS name each other as such. */
function copy(path, extension) {
  const to = join(target, relative(folder, path)).replace(/\.ts$/, extension === "cjs" ? ".cts" : ".ts");
  mkdirSync(dirname(to), { recursive: true });
  const text = readFileSync(path, "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "");
  writeFileSync(to, text.replaceAll(/((?:from|import\()\s*"\.[^"]*)\.js"/g, `$1.${extension}"`));
}

/** Returns an entry of `exports` in both forms. */
function inBothForms(entry) {
  const { types, default: path } = entry;
  if (path === undefined || isModuleOnly(path)) return entry;
  const required = { types: types.replace(/\.ts$/, ".cts"), default: path.replace(/\.js$/, ".cjs") };
  return { import: entry, require: required };
}

/** Returns the fields that are read where `exports` is not known, such as by TypeScript with "node10". */
function withoutExports(exports) {
  const subpaths = Object.entries(exports).filter(([name, { require }]) => name !== "." && require);
  const types = subpaths.map(([name, { require }]) => [name.slice(2), [require.types]]);
  return {
    main: exports["."].require.default,
    types: exports["."].require.types,
    ...(types.length === 0 ? {} : { typesVersions: { "*": Object.fromEntries(types) } }),
  };
}

/** A registry shows the README without the repository around it. */
function withAbsoluteLinks(text) {
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
  return text.replaceAll(/(!?\[[^\]]*\]\()(?!https?:|#|mailto:)([^)\s]+)/g, (_, start, link) => {
    const kind = start.startsWith("!") ? "raw" : "blob";
    return `${start}${repository}/${kind}/main/${relative(root, join(folder, link)).replaceAll("\\", "/")}`;
  });
}

/** Whether a package has a form for `require` in every runtime: one without is joined to the modules of CommonJS. */
function isRequirable(id, importer) {
  if (isBuiltin(id)) return true;
  const name = id.split("/", id.startsWith("@") ? 2 : 1).join("/");
  const folders = createRequire(importer).resolve.paths(name);
  const path = folders.map((folder) => join(folder, name, "package.json")).find(existsSync);
  if (path === undefined) return true;
  const { type, exports } = JSON.parse(readFileSync(path, "utf8"));
  // Ours get the second form here.
  return (
    name.startsWith("@palimpsest/") || type !== "module" || /"require"|\.cjs"/.test(JSON.stringify(exports))
  );
}

async function write({ format, extension, entries }) {
  if (Object.keys(entries).length === 0) return;
  const bundle = await rolldown({
    cwd: folder,
    input: entries,
    platform: "node",
    external: (id, importer) =>
      !/^[./\0]/.test(id) && (format === "esm" || importer === undefined || isRequirable(id, importer)),
  });
  await bundle.write({
    dir: join(target, "dist"),
    format,
    entryFileNames: `[name].${extension}`,
    // Test runners that run CommonJS know no other way to load a module later.
    dynamicImportInCjs: false,
    chunkFileNames: `shared/[name].${extension}`,
    // Editors show the comments of the declarations; Node parses what is here at each start.
    comments: { jsdoc: false },
    // One file for what entry points share: a module costs the better part of a millisecond, whatever its size.
    codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
  });
  await bundle.close();
}

rmSync(target, { recursive: true, force: true });
for (const format of formats) await write(format);
for (const path of pages) {
  if (!existsSync(join(folder, path))) throw new Error(`${path} is missing: run npm run setup`);
  copyFileSync(join(folder, path), join(target, path));
}
for (const { entries, extension } of formats)
  for (const path of declarations(Object.keys(entries).map((name) => join(folder, "dist", `${name}.d.ts`))))
    copy(path, extension);
writeFileSync(join(target, "README.md"), withAbsoluteLinks(readFileSync(join(folder, "README.md"), "utf8")));
copyFileSync(join(root, "LICENSE"), join(target, "LICENSE"));
const { scripts: _, devDependencies: __, files: ___, publishConfig, ...published } = manifest;
const { directory: ____, linkDirectory: _____, ...config } = publishConfig;
/** Returns dependencies with versions in place of what only this workspace knows. pnpm replaces them too, in any order. */
function withVersions(dependencies) {
  const versions = Object.entries(dependencies).map(([name, range]) => {
    if (range.startsWith("catalog:"))
      throw new Error(`${name} is published with a range: state it in place of "catalog:"`);
    return [name, range.replace(/^workspace:\^$/, `^${manifest.version}`).replace(/^workspace:/, "")];
  });
  return Object.fromEntries(versions);
}

const exports = Object.fromEntries(
  Object.entries(manifest.exports).map(([name, entry]) => [name, inBothForms(entry)]),
);
const kinds = Object.fromEntries(
  ["dependencies", "peerDependencies"].flatMap((kind) =>
    manifest[kind] === undefined ? [] : [[kind, withVersions(manifest[kind])]],
  ),
);
writeFileSync(
  join(target, "package.json"),
  `${JSON.stringify({ ...published, ...kinds, ...withoutExports(exports), exports, publishConfig: config }, undefined, 2)}\n`,
);
