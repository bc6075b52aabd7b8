// What many short threads cost, side by side. Prints JSON; npm run bench -- threads shows it.
// node … threads.ts [--threads N] [--written N] [--steps N] [--only Postgres] [--quick] [--json]
import { parseArgs } from "node:util";
import { startPostgres } from "../src/testing/postgres-server.js";
import { manyThreads } from "./many-threads/measure-threads.js";
import { subjects } from "./subjects.js";

const { values } = parseArgs({
  options: {
    threads: { type: "string" },
    written: { type: "string" },
    steps: { type: "string", default: "10" },
    only: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: true },
  },
});
const count = Number(values.threads ?? (values.quick ? 100 : 2_000));
if (!(Number.isInteger(count) && count >= 10)) {
  process.stderr.write(`--threads is ${values.threads}: use a whole number of at least 10\n`);
  process.exit(2);
}
const steps = Number(values.steps);
if (!(Number.isInteger(steps) && steps >= 1)) {
  process.stderr.write(`--steps is ${values.steps}: use a whole number of at least 1\n`);
  process.exit(2);
}
/** With --written, a database of a VfsSaver on Postgres is filled with the others, and only so many are written as agents do. */
const written = values.written === undefined ? undefined : Number(values.written);
if (written !== undefined && !(Number.isInteger(written) && written >= 1)) {
  process.stderr.write(`--written is ${values.written}: use a whole number of at least 1\n`);
  process.exit(2);
}
/** `--only` is the whole name of a saver, or a part of several. */
const isMeasured = (name: string): boolean =>
  name === values.only || (!all.includes(values.only) && name.includes(values.only));
const postgres = await startPostgres();
const savers = subjects("url" in postgres ? postgres.url : undefined);
const all = Object.keys(savers);
if ("missing" in postgres) process.stderr.write(`Without Postgres: ${postgres.missing}\n`);
const measured: Record<string, readonly object[]> = {};
try {
  for (const [name, open] of Object.entries(savers)) {
    // A saver in memory has no storage to grow.
    if (name === "MemorySaver" || !isMeasured(name)) continue;
    const rows = [];
    for (const threads of [Math.ceil(count / 10), count]) {
      process.stderr.write(`${name}, ${threads} threads\n`);
      rows.push(await manyThreads(open, { threads, steps, written }));
    }
    measured[name] = rows;
  }
} finally {
  if ("url" in postgres) postgres.stop();
}
process.stdout.write(`${JSON.stringify(measured)}\n`);
