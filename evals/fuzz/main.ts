// Plays generated threads through everything that changes a context, and checks the laws after each step:
// npm run fuzz -- --minutes N [--seed S]
import { parseArgs } from "node:util";
import { runFuzz } from "./run-fuzz.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error(
    `--minutes is ${values.minutes}, --seed is ${values.seed}: use a number above 0, and an integer`,
  );
  process.exit(2);
}
const begin = performance.now();
let told = begin;
const { histories, violations } = await runFuzz({
  seed,
  milliseconds: minutes * 60_000,
  onBatch(report) {
    if (performance.now() - told < 10_000) return;
    told = performance.now();
    console.error(`${report.histories} histories, ${report.violations.length} violations`);
  },
});
const seconds = (performance.now() - begin) / 1_000;
for (const violation of violations) console.error(`\n${violation}`);
console.log(JSON.stringify({ seed, histories, violations: violations.length, seconds: Math.round(seconds) }));
process.exit(violations.length === 0 && histories > 0 ? 0 : 1);
