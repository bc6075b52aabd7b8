// Runs every numbered example and stops at the first failure.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./run.mjs";

const examples = readdirSync(join(root, "examples"))
  .filter((name) => /^\d\d-.*\.ts$/.test(name) && !name.endsWith(".test.ts"))
  .toSorted();
if (examples.length === 0) throw new Error("No example found in examples/");
for (const example of examples) {
  process.stdout.write(`\n# examples/${example}\n`);
  run(process.execPath, [join(root, "node_modules/tsx/dist/cli.mjs"), `examples/${example}`], { stdout: 1 });
}
process.stdout.write(`\n${examples.length} examples ran\n`);
