import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run.mjs";

/** Returns the figures of the README's comparison that are not in the file that their row links to. */
export function unmeasuredFigures() {
  const readme = readFileSync(join(root, "README.md"), "utf8");
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
