// Lays out what a package publishes in its folder `.publish`; pnpm packs that folder (`publishConfig.directory`).
//
// Node reads, parses and links every module on its own, which takes longer than running them: the modules of a package become
// one file for each entry point and one for what they share. The declarations stay files of their own.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../run.mjs";

const folder = process.argv[2] ?? process.cwd();
const target = join(folder, ".publish");
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Files that the package reads beside its modules. */
const pages = existsSync(join(folder, "src/page")) ? ["dist/page.html"] : [];
const exported = Object.values(manifest.exports).flatMap((entry) => entry.default ?? []);
/** Entry points, commands included: `{ index: "dist/index.js", "testing/index": "dist/testing/index.js" }`. */
const entries = Object.fromEntries(
  [...exported, ...Object.values(manifest.bin ?? {})].map((path) => [
    path.replace(/^\.\/dist\/(.*)\.js$/, "$1"),
    path,
  ]),
);

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

function copy(path) {
  const to = join(target, relative(folder, path));
  mkdirSync(dirname(to), { recursive: true });
  const text = readFileSync(path, "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "");
  writeFileSync(to, text);
}

/** A registry shows the README without the repository around it. */
function withAbsoluteLinks(text) {
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
  return text.replaceAll(/(!?\[[^\]]*\]\()(?!https?:|#|mailto:)([^)\s]+)/g, (_, start, link) => {
    const kind = start.startsWith("!") ? "raw" : "blob";
    return `${start}${repository}/${kind}/main/${relative(root, join(folder, link)).replaceAll("\\", "/")}`;
  });
}

rmSync(target, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: folder,
  input: entries,
  platform: "node",
  external: (id) => !/^[./]/.test(id),
});
await bundle.write({
  dir: join(target, "dist"),
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "shared/[name].js",
  // Editors show the comments of the declarations; Node parses what is here at each start.
  comments: { jsdoc: false },
  // One file for what entry points share: a module costs the better part of a millisecond, whatever its size.
  codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
});
await bundle.close();
for (const path of pages) {
  if (!existsSync(join(folder, path))) throw new Error(`${path} is missing: run npm run setup`);
  copyFileSync(join(folder, path), join(target, path));
}
declarations(Object.keys(entries).map((name) => join(folder, "dist", `${name}.d.ts`))).forEach(copy);
writeFileSync(join(target, "README.md"), withAbsoluteLinks(readFileSync(join(folder, "README.md"), "utf8")));
copyFileSync(join(root, "LICENSE"), join(target, "LICENSE"));
const { scripts: _, devDependencies: __, files: ___, publishConfig, ...published } = manifest;
const { directory: ____, linkDirectory: _____, ...config } = publishConfig;
writeFileSync(
  join(target, "package.json"),
  `${JSON.stringify({ ...published, publishConfig: config }, undefined, 2)}\n`,
);
