// Checks the cyclomatic complexity of every function outside tests: at most 10, or what `structure/complexity.json` allows it.
// `--accept` lowers what is allowed to what is there; a more complex function needs a change by hand, or a simpler one.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, run } from "./run.mjs";

const most = 10;
const listPath = join(root, "scripts/structure/complexity.json");
const folders = ["packages", "evals", "examples", "scripts", "site"];
const ignorePatterns = ["**/dist/**", "**/*.test.ts", "**/*.test-d.ts", "**/testing/**"];

/** Returns `package name` -> complexity of the functions over a limit. Names stay when a function moves to another file. */
function complexities(limit) {
  const folder = mkdtempSync(join(tmpdir(), "complexity-"));
  const config = join(folder, "oxlint.json");
  const rules = { complexity: ["error", { max: limit }] };
  writeFileSync(config, JSON.stringify({ plugins: [], categories: {}, rules }));
  const ignored = ignorePatterns.flatMap((pattern) => ["--ignore-pattern", pattern]);
  const args = ["-c", config, "-f", "json", ...ignored, ...folders];
  const options = { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 };
  const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), args, options);
  rmSync(folder, { recursive: true });
  const found = new Map();
  for (const { filename, message } of JSON.parse(stdout).diagnostics) {
    const [, name = "an unnamed function", complexity] =
      /^(?:.*?`(.*?)`|.*?) has a complexity of (\d+)/.exec(message) ?? [];
    const key = `${filename.split("/").slice(0, 2).join("/")} ${name}`;
    found.set(key, Math.max(found.get(key) ?? 0, Number(complexity)));
  }
  return found;
}

// Every file has a function over 0: a check that sees few proves nothing.
if (complexities(0).size < 1_000)
  throw new Error("Fewer than 1,000 functions were seen: the check proves nothing");
const found = complexities(most);
const allowed = JSON.parse(readFileSync(listPath, "utf8"));
if (process.argv.includes("--accept")) {
  const kept = Object.entries(allowed).flatMap(([key, limit]) => {
    const complexity = Math.min(limit, found.get(key) ?? 0);
    return complexity > most ? [[key, complexity]] : [];
  });
  writeFileSync(listPath, JSON.stringify(Object.fromEntries(kept)));
  run(join(root, "node_modules/.bin/oxfmt"), [listPath]);
}
const violations = [...found].flatMap(([key, complexity]) => {
  const limit = allowed[key] ?? most;
  return complexity > limit
    ? [
        `${key} has a complexity of ${complexity}, and may have ${limit}: split it, or list it in scripts/structure/complexity.json`,
      ]
    : [];
});
for (const line of violations) process.stderr.write(`${line}\n`);
process.stdout.write(
  `${found.size} functions over a complexity of ${most}, ${violations.length} violations\n`,
);
process.exit(violations.length === 0 ? 0 : 1);
