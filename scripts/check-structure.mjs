// Checks the structure of the packages: files per folder, arrows between folders, exported names, READMEs and who appends
// to the archive. `--accept` writes the exported names as they are now, and lowers exceptions that are no longer needed.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run.mjs";
import { planted } from "./structure/planted.mjs";
import { appendSites, arrowViolations, folderSizes, violationsOf } from "./structure/rules.mjs";
import { exportsOf, isTest, readSources } from "./structure/sources.mjs";

const listsPath = join(root, "scripts/structure/lists.json");
/** Packages that are published: private ones may export what they like. */
const published = readdirSync(join(root, "packages")).filter((name) => {
  const manifest = join(root, "packages", name, "package.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).private !== true;
});

function readFacts() {
  const lists = JSON.parse(readFileSync(listsPath, "utf8"));
  return {
    ...lists,
    sources: readSources(),
    exported: Object.fromEntries(
      published.map((name) => [name, text(exportsPath(name)).split("\n").filter(Boolean)]),
    ),
    testConfigs: Object.fromEntries(
      [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "examples", "evals"]
        .map((folder) => `${folder}/vitest.config.ts`)
        .flatMap((path) => (text(path) === "" ? [] : [[path, text(path)]])),
    ),
    docs: readdirSync(join(root, "docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => text(`docs/${name}`))
      .join("\n"),
    readmes: Object.fromEntries(lists.readmes.map((name) => [name, text(`packages/${name}/README.md`)])),
  };
}

function text(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
}

function exportsPath(name) {
  return `packages/${name}/exports.txt`;
}

/** Nothing is accepted that would loosen a rule: a larger folder or a new place that appends needs a change by hand. */
function accept({ sources }) {
  for (const name of published) {
    const names = exportsOf(`packages/${name}/src/index.ts`, sources);
    writeFileSync(join(root, exportsPath(name)), `${names.join("\n")}\n`);
  }
  const lists = JSON.parse(readFileSync(listsPath, "utf8"));
  const sizes = folderSizes(sources);
  lists.folders.exceptions = lowered(lists.folders.exceptions, sizes, lists.folders.limit);
  lists.appends.exceptions = lowered(lists.appends.exceptions, appendSites(sources), 0);
  for (const [name, layer] of Object.entries(lists.layers)) {
    const unused = arrowViolations({ sources, layers: { [name]: layer } }).join("\n");
    layer.exceptions = (layer.exceptions ?? []).filter(
      (arrow) => !unused.includes(`has the arrow ${arrow}:`),
    );
  }
  writeFileSync(listsPath, JSON.stringify(lists));
  run(join(root, "node_modules/.bin/oxfmt"), [listsPath]);
}

function lowered(exceptions, counts, limit) {
  const entries = Object.entries(exceptions).map(([path, allowed]) => [
    path,
    Math.min(allowed, counts.get(path) ?? 0),
  ]);
  return Object.fromEntries(entries.filter(([, allowed]) => allowed > limit));
}

if (process.argv.includes("--accept")) accept(readFacts());
const facts = readFacts();
const modules = [...facts.sources.keys()].filter((path) => !isTest(path)).length;
if (modules < 100) throw new Error(`Only ${modules} modules were seen: the check proves nothing`);
for (const { rule, plant, reported } of planted) {
  if (!violationsOf(plant(facts)).some((line) => line.includes(reported)))
    throw new Error(`The planted violation of "${rule}" was not seen: the check proves nothing`);
}
const found = violationsOf(facts);
for (const line of found) process.stderr.write(`${line}\n`);
process.stdout.write(`${modules} modules, ${found.length} violations of the structure\n`);
process.exit(found.length === 0 ? 0 : 1);
