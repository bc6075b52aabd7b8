import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Law, NamedTest } from "./law.js";

/** Returns the tests that a law names and that do not exist, as `file: name`. */
export function missingTests(laws: readonly Law[], root: string): readonly string[] {
  const named = laws.flatMap(({ tests }) => tests);
  return named.filter((test) => !isThere(test, root)).map(({ file, name }) => `${file}: ${name}`);
}

/** True when a file calls `it` with this name; a name in a comment, or of a skipped test, does not count. */
function isThere({ file, name }: NamedTest, root: string): boolean {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, "utf8");
  const quoted = JSON.stringify(name);
  const calls = source.split(quoted).slice(0, -1);
  return calls.some((before) => /(?:^|\n)\s*(?:it\(|it\.each[\s\S]*\)\()\s*$/.test(before.slice(-2_000)));
}
