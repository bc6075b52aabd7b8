// Checks the laws over what is generated: threads that pass through everything that changes a context, and scripts that hosts
// play with and without us. npm run fuzz -- --minutes N [--seed S] [--play threads | hosts] [--host NAME]
import { parseArgs } from "node:util";
import { runHosts } from "./hosts/run-hosts.js";
import { strategies } from "./hosts/strategies.js";
import { runFuzz } from "./run-fuzz.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    play: { type: "string", default: "threads,hosts" },
    host: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const played = values.host === undefined ? values.play.split(",") : ["hosts"];
const chosen = strategies.filter(({ name }) => values.host === undefined || name === values.host);
if (!(minutes > 0) || !Number.isSafeInteger(seed))
  refuse(`--minutes is ${values.minutes}, --seed is ${values.seed}: use a number above 0, and an integer`);
if (played.some((one) => one !== "threads" && one !== "hosts"))
  refuse(`--play is ${values.play}: use threads, hosts or threads,hosts`);
if (chosen.length === 0)
  refuse(`--host is ${values.host}: use one of\n${strategies.map(({ name }) => name).join("\n")}`);

function refuse(message: string): void {
  console.error(message);
  process.exit(2);
}

const milliseconds = (minutes * 60_000) / played.length;
const begin = performance.now();
let told = begin;
let shown = 0;

/** Prints each violation when it is found, and the state of the run from time to time. */
function onBatch({ violations, ...counts }: { readonly violations: readonly string[] }): void {
  for (const violation of violations.slice(shown)) console.error(`\n${violation}`);
  shown = violations.length;
  if (performance.now() - told < 10_000) return;
  told = performance.now();
  const done = Object.entries(counts).map(([name, count]) => `${String(count)} ${name}`);
  console.error([...done, `${violations.length} violations`].join(", "));
}

let [histories, scripts, prompts, violations] = [0, 0, 0, 0];
if (played.includes("threads")) {
  const report = await runFuzz({ seed, milliseconds, onBatch });
  histories = report.histories;
  violations = report.violations.length;
  shown = 0;
}
if (played.includes("hosts")) {
  const report = await runHosts({ seed, milliseconds, strategies: chosen, onBatch });
  ({ scripts, prompts } = report);
  violations += report.violations.length;
}
const seconds = Math.round((performance.now() - begin) / 1_000);
console.log(JSON.stringify({ seed, histories, scripts, prompts, violations, seconds }));
process.exit(violations === 0 && histories + scripts > 0 ? 0 : 1);
