import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run.mjs";

/** Returns the figures of the README's comparison that are not in the file that their row links to, and a verdict that is another. */
export function unmeasuredFigures() {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const evidence = readFileSync(join(root, "docs/evidence.md"), "utf8");
  const [stated, measured] = [readme, evidence].map(verdictIn);
  const verdict = stated === measured ? [] : [`README.md states ${stated}; docs/evidence.md: ${measured}`];
  return [...verdict, ...unmeasuredCells(readme)];
}

/** Returns the number of all measures, and of those ahead, level and behind. */
function verdictIn(text) {
  const found = /of (\d+) measures,[^.]*?ahead in (\d+), level in (\d+),? (?:and )?behind in (\d+)/is.exec(
    text,
  );
  if (found === null)
    throw new Error("README.md or docs/evidence.md does not say of how many measures it is ahead");
  return found.slice(1).join(", ");
}

function unmeasuredCells(readme) {
  const [, section = ""] = readme.split("\n## Compared\n");
  const rows = [...section.split("\n## ")[0].matchAll(/^\|(.+)\| \[.*?\]\((.+?)\) +\|$/gm)];
  if (rows.length === 0) throw new Error("README.md has no comparison");
  return rows.flatMap(([, cells, link]) => {
    const [, ...values] = cells.split("|");
    const figures = values.join(" ").match(/\d[\d,.]*\d|\d/g) ?? [];
    const source = readFileSync(join(root, link), "utf8");
    return figures.filter((figure) => !isIn(source, figure)).map((figure) => `${figure} is not in ${link}`);
  });
}

function isIn(text, figure) {
  return new RegExp(`(?<![\\d.,])${figure.replaceAll(".", () => "\\.")}(?![\\d,]|\\.\\d)`).test(text);
}
