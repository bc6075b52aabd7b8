// What a step takes on Postgres while agents take steps at a rate, side by side. Prints JSON; npm run bench -- load shows it.
// node … load.ts [--rates 0,200] [--writers 1,2,4,8] [--seconds 4] [--turns 3] [--filled N] [--quick] [--json]
import { parseArgs } from "node:util";
import { startPostgres } from "../src/testing/postgres-server.js";
import { offerLoad, type Loaded } from "./many-threads/offered-load.js";
import { subjects } from "./subjects.js";

const { values } = parseArgs({
  options: {
    rates: { type: "string", default: "0,200" },
    writers: { type: "string", default: "1,2,4,8" },
    seconds: { type: "string" },
    turns: { type: "string", default: "3" },
    filled: { type: "string", default: "0" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: true },
  },
});
const numbers = (name: keyof typeof values, text: string, least: number): number[] =>
  text.split(",").map((part) => {
    const number = Number(part);
    if (part !== "" && number >= least) return number;
    process.stderr.write(`--${name} is ${text}: use numbers of at least ${least}\n`);
    return process.exit(2);
  });
const rates = numbers("rates", values.rates, 0);
const writers = numbers("writers", values.writers, 1);
const [seconds = 4] = numbers("seconds", values.seconds ?? (values.quick ? "0.5" : "4"), 0.1);
const [turns = 3] = numbers("turns", values.quick ? "1" : values.turns, 1);
/** Threads of ten steps that the VfsSaver's database holds before; that of PostgresSaver starts empty. */
const [filled = 0] = numbers("filled", values.filled, 0);
const postgres = await startPostgres();
if ("missing" in postgres) {
  process.stderr.write(`This bench needs Postgres: ${postgres.missing}\n`);
  process.exit(2);
}
const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? Number.NaN;
const rows: object[] = [];
try {
  const names = ["VfsSaver on Postgres", "PostgresSaver"];
  const all = subjects(postgres.url);
  const open = await Promise.all(names.map(async (name) => ({ name, ...(await all[name]!()) })));
  for (const { fill } of open)
    await fill?.(
      Array.from({ length: filled }, (_, at) => `filled-${at % Math.ceil(filled / 20)}/thread-${at}`),
      10,
    );
  for (const { saver } of open) await offerLoad(saver, { writers: 8, rate: 0, seconds });
  for (const rate of rates)
    for (const count of writers) {
      process.stderr.write(`${count} writers, ${rate === 0 ? "as fast as they can" : `${rate} a second`}\n`);
      const loads = open.map(() => [] as Loaded[]);
      // In turns, so that the load of the machine meets both.
      for (let turn = 0; turn < turns; turn++)
        for (const [at, { saver }] of open.entries())
          loads[at]?.push(await offerLoad(saver, { writers: count, rate, seconds }));
      for (const [at, { name }] of open.entries()) {
        const own = loads[at] ?? [];
        const times = own.flatMap((load) => load.times);
        const sum = (key: "seconds" | "cpu"): number => own.reduce((total, load) => total + load[key], 0);
        rows.push({
          checkpointer: name,
          writers: count,
          rate,
          steps: times.length,
          perSecond: times.length / sum("seconds"),
          median: quantile(times, 0.5),
          p99: quantile(times, 0.99),
          cpu: (1000 * sum("cpu")) / times.length,
        });
      }
    }
  for (const { finish } of open) await finish();
} finally {
  postgres.stop();
}
process.stdout.write(`${JSON.stringify(rows)}\n`);
