// Builds the documentation as a static site with a search of its own, in site/dist: `npm run site`. Its tools are installed in
// `site/`, apart from the workspace: TypeDoc needs a TypeScript with a JavaScript API, which 7 has not.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "../run.mjs";
import { llmsText } from "./llms.mjs";

const site = join(root, "site");
run(process.execPath, [join(root, "scripts/setup.mjs")]);
const pnpm = join(root, "node_modules/pnpm/bin/pnpm.cjs");
run(process.execPath, [
  pnpm,
  "-C",
  site,
  "install",
  "--ignore-workspace",
  "--frozen-lockfile",
  "--prefer-offline",
]);
run(process.execPath, [
  join(site, "node_modules/typedoc/bin/typedoc"),
  "--options",
  join(site, "typedoc.json"),
]);
nameEntryPoints(join(site, "api"));
rmSync(join(site, "dist"), { recursive: true, force: true });
run(process.execPath, [join(site, "node_modules/vitepress/bin/vitepress.js"), "build", site]);

/** TypeDoc names a module after its source; a reader knows it by what is imported. */
function nameEntryPoints(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (!name.endsWith(".md")) continue;
    const text = readFileSync(path, "utf8");
    const named = text.replaceAll(
      /(^# |\[)([a-z]+)\/src\b((?:\/[\w-]+)*)/gm,
      (...[, before, folderName, source]) => `${before}${importOf(folderName, source)}`,
    );
    writeFileSync(path, withoutMissing(named));
  }
}

/** TypeDoc numbers the second meaning of a name, such as that of a type beside a static member, also where it leaves one out. */
function withoutMissing(text) {
  const headings = text.toLowerCase().match(/^#+ .*$/gm) ?? [];
  return text.replaceAll(/\(#(\w+)-1\)/g, (link, name) =>
    headings.filter((heading) => heading.replace(/^#+ /, "") === name).length > 1 ? link : `(#${name})`,
  );
}

/** Returns the specifier that imports `source`, a path in the `src` folder of a package without its extension. */
function importOf(folderName, source) {
  const { name, exports } = JSON.parse(
    readFileSync(join(root, "packages", folderName, "package.json"), "utf8"),
  );
  const files = [`./dist${source}/index.js`, `./dist${source}.js`];
  const [entry] = Object.entries(exports).find(([, target]) => files.includes(target.default)) ?? [];
  if (entry === undefined) throw new Error(`${name} exports none of ${files.join(", ")}`);
  return join(name, entry);
}

writeFileSync(join(site, "dist/llms.txt"), llmsText());
process.stdout.write(`${join(site, "dist/index.html")}\n`);
