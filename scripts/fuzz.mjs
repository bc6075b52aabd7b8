// Runs the fuzzer, one process for each core unless --processes says otherwise:
// npm run fuzz -- --minutes N [--seed S] [--play threads | hosts] [--host NAME] [--processes P]
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, run } from "./run.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    play: { type: "string", default: "threads,hosts" },
    host: { type: "string" },
    processes: { type: "string", default: String(availableParallelism()) },
  },
});
run(process.execPath, [join(root, "scripts/setup.mjs")]);

/** Distance between the seeds of two processes: more than the batches of any run. */
const apart = 10_000_000;

function fuzz(index) {
  const seed = String(Number(values.seed) + index * apart);
  const main = join(root, "evals/dist/fuzz/main.js");
  const host = values.host === undefined ? [] : [`--host=${values.host}`];
  const args = [main, `--minutes=${values.minutes}`, `--seed=${seed}`, `--play=${values.play}`, ...host];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve) => {
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.on("close", (code) =>
      resolve({ code, ...JSON.parse(output || '{"histories":0,"scripts":0,"prompts":0,"violations":0}') }),
    );
  });
}

const reports = await Promise.all(
  Array.from({ length: Number(values.processes) }, (_, index) => fuzz(index)),
);
const sum = (field) => reports.reduce((total, report) => total + report[field], 0);
const counts = ["histories", "scripts", "prompts", "violations"].map((name) => `${sum(name)} ${name}`);
process.stdout.write(`${counts.join(", ")}\n`);
process.exit(reports.every(({ code }) => code === 0) ? 0 : 1);
