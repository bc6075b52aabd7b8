import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { versionOf } from "../report/environment.js";
import { markdownTable } from "../report/markdown.js";
import { root } from "../root.js";
import type { Table } from "../suite.js";

const page = "docs/laws.md";
const heading = "## Failures of other systems, and the same situations here";

/** Writes the failures as measured below the laws, which are written by hand, and returns the path of the page. */
export function writeFailures(table: Table): string {
  const names = ["deepagents", "langchain", "@langchain/langgraph", "@langchain/core"];
  const versions = names.map((name) => `${name} ${versionOf(name)}`).join(", ");
  const text = `${heading}

Measured with ${versions}, offline, with scripted models. "Out of the agent's reach" means in no prompt and in
no file that the agent can read; the state of a thread may still hold it. Palimpsest is measured as nodes of a
graph and as middleware; where both give the same result, the table states it once.

${markdownTable(table)}
`;
  const [laws = ""] = readPage().split(heading, 1);
  writeFileSync(join(root, page), laws + text);
  execFileSync(join(root, "node_modules/.bin/oxfmt"), [page], { cwd: root });
  return page;
}

/** Returns the page of the laws. */
export function readPage(): string {
  return readFileSync(join(root, page), "utf8");
}

/** A section of the page: a law and the tests that hold it. */
export interface Law {
  readonly name: string;
  /** Path below the root of the repository, a colon, and the name of the test as it is in the file. */
  readonly tests: readonly string[];
}

/** Returns the laws of a page that name tests, in order. Pure. */
export function lawsIn(text: string): readonly Law[] {
  const sections = text.split(/^##+ /m).map((section) => {
    const tests = [...section.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, path, name]) => `${path}: ${name}`);
    return { name: section.split("\n", 1)[0] ?? "", tests };
  });
  return sections.filter(({ tests }) => tests.length > 0);
}

/** Returns the tests that laws name and that do not exist. */
export function missingTests(laws: readonly Law[]): readonly string[] {
  return laws.flatMap(({ tests }) => tests).filter((test) => !isThere(test));
}

/** True when a file calls `it` with this name; a name in a comment, or of a skipped test, does not count. */
function isThere(test: string): boolean {
  const [file = ""] = test.split(": ", 1);
  const name = test.slice(file.length + 2);
  const path = join(root, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, "utf8");
  const calls = source.split(JSON.stringify(name)).slice(0, -1);
  return calls.some((before) => /(?:^|\n)\s*(?:it\(|it\.each[\s\S]*\)\()\s*$/.test(before.slice(-2_000)));
}
