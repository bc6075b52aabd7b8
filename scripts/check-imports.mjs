// Checks the arrows between the packages. Fails unless it sees our modules and planted violations.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { cruise } from "dependency-cruiser";
import config from "../.dependency-cruiser.mjs";
import { root } from "./run.mjs";

process.chdir(root);

/** The check fails unless it reports each of these. */
const plantedImports = [
  'export { readFileSync } from "node:fs";',
  'export * from "../../vfs/src/index.js";',
  'export * from "../../langgraph/dist/index.js";',
];

async function violations() {
  const places = ["packages", "examples", "evals"].filter((place) => existsSync(place));
  const { output } = await cruise(places, { ...config.options, validate: true, ruleSet: config });
  const { totalCruised, violations: found } = output.summary;
  return { totalCruised, found: found.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`) };
}

const planted = "packages/context/src/planted-violation.ts";
const real = await violations();
writeFileSync(planted, `${plantedImports.join("\n")}\n`);
let seen;
try {
  seen = await violations();
} finally {
  rmSync(planted);
}

for (const line of real.found) process.stderr.write(`${line}\n`);
if (real.totalCruised < 50)
  throw new Error(`Only ${real.totalCruised} modules were seen: the check proves nothing`);
const missed = plantedImports.length - seen.found.filter((line) => line.includes(`${planted} ->`)).length;
if (missed > 0) throw new Error(`${missed} planted violations were not seen: the check proves nothing`);
process.stdout.write(`${real.totalCruised} modules, ${real.found.length} forbidden imports\n`);
process.exit(real.found.length === 0 ? 0 : 1);
