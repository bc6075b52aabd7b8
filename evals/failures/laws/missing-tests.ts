import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Law } from "./law.js";

/** Returns the tests that a law names and that do not exist. */
export function missingTests(laws: readonly Law[], root: string): readonly string[] {
  return laws.flatMap(({ tests }) => tests).filter((test) => !isThere(test, root));
}

/** True when a file calls `it` with this name; a name in a comment, or of a skipped test, does not count. */
function isThere(test: string, root: string): boolean {
  const [file = ""] = test.split(": ", 1);
  const name = test.slice(file.length + 2);
  const path = join(root, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, "utf8");
  const quoted = JSON.stringify(name);
  const calls = source.split(quoted).slice(0, -1);
  return calls.some((before) => /(?:^|\n)\s*(?:it\(|it\.each[\s\S]*\)\()\s*$/.test(before.slice(-2_000)));
}
