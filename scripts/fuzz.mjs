// Runs the fuzzer, one process for each core: npm run fuzz -- --minutes N [--seed S]
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, run } from "./run.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  },
});
run(process.execPath, [join(root, "scripts/setup.mjs")]);

/** Distance between the seeds of two processes: more than the batches of any run. */
const apart = 10_000_000;

function fuzz(index) {
  const seed = String(Number(values.seed) + index * apart);
  const args = [join(root, "evals/dist/fuzz/main.js"), `--minutes=${values.minutes}`, `--seed=${seed}`];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve) => {
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.on("close", (code) => resolve({ code, ...JSON.parse(output || '{"histories":0,"violations":0}') }));
  });
}

const reports = await Promise.all(Array.from({ length: availableParallelism() }, (_, index) => fuzz(index)));
const sum = (field) => reports.reduce((total, report) => total + report[field], 0);
process.stdout.write(`${sum("histories")} histories, ${sum("violations")} violations\n`);
process.exit(reports.every(({ code }) => code === 0) ? 0 : 1);
