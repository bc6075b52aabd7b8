// Writes the page of the inspector as one file: its modules bundled, its styles inline, so that nothing is loaded from elsewhere.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../run.mjs";

const folder = join(root, "packages/inspector");
const entry = join(folder, "dist/page/main.js");
const styles = join(folder, "src/page/style.css");
const icon = join(root, "docs/images/favicon.svg");
const target = join(folder, "dist/page.html");
/** `tsc -b` touches it with each build of the page that changed something. */
const built = join(folder, "dist/page/.tsbuildinfo");

const inputs = [built, styles, icon, new URL(import.meta.url).pathname];
const isFresh =
  existsSync(target) && inputs.every((path) => statSync(path).mtimeMs <= statSync(target).mtimeMs);
if (!isFresh) await bundle();

async function bundle() {
  const rolled = await rolldown({ input: entry, platform: "browser" });
  const { output } = await rolled.generate({ format: "esm", minify: true });
  await rolled.close();
  const chart = createRequire(join(folder, "package.json")).resolve("uplot/dist/uPlot.min.css");
  const css = [chart, styles].map((path) => readFileSync(path, "utf8")).join("\n");
  const iconUrl = `data:image/svg+xml,${encodeURIComponent(readFileSync(icon, "utf8").trim())}`;
  // The parser of HTML looks for the end of a script before anything reads the script.
  const script = output[0].code.replaceAll("</script", "<\\/script");
  writeFileSync(
    target,
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Palimpsest</title>
<link rel="icon" href="${iconUrl}">
<style>${css}</style>
<body><header class="top"><h1>Palimpsest</h1></header></body>
<script type="module">${script}</script>
</html>
`,
  );
}
