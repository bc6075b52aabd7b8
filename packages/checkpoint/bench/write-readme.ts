import { readFileSync, writeFileSync } from "node:fs";

const readme = new URL("../README.md", import.meta.url);
const begin = "<!-- npm run bench -- storage --write -->";
const end = "<!-- end -->";

/** Replaces the text between the marks in the package's README. Throws when the marks are missing. */
export function writeReadme(text: string): void {
  const before = readFileSync(readme, "utf8");
  const [head, rest] = cut(before, begin);
  const [, tail] = cut(rest, end);
  writeFileSync(readme, `${head}${begin}\n\n${text}\n\n${end}${tail}`);
}

function cut(text: string, mark: string): readonly [string, string] {
  const position = text.indexOf(mark);
  if (position === -1) throw new Error(`${readme.pathname} has no ${mark}`);
  return [text.slice(0, position), text.slice(position + mark.length)];
}
