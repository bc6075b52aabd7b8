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

/** TypeDoc names a module after its folder; a reader knows it by what is imported. */
function nameEntryPoints(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (!name.endsWith(".md")) continue;
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll(/(^# |\[)([a-z]+)\/src\b/gm, "$1@palimpsest/$2"));
  }
}

writeFileSync(join(site, "dist/llms.txt"), llmsText());
process.stdout.write(`${join(site, "dist/index.html")}\n`);
