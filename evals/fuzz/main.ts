// Checks the laws over what is generated: threads that pass through everything that changes a context, and scripts that hosts
// play with and without us. npm run fuzz -- --minutes N [--seed S] [--play threads | hosts] [--host NAME]
import { number, readOptions, text } from "../run/read-options.js";
import { runHosts } from "./hosts/run-hosts.js";
import { strategies } from "./hosts/strategies.js";
import { runFuzz } from "./run-fuzz.js";

const { minutes, seed, play, host } = readOptions(process.argv.slice(2), {
  minutes: number(0.01, 1),
  seed: number(0, Date.now() % 1_000_000_000),
  play: text("threads,hosts"),
  host: text(undefined),
});
const played = host === undefined ? play.split(",") : ["hosts"];
const chosen = strategies.filter(({ name }) => host === undefined || name === host);
if (played.some((one) => one !== "threads" && one !== "hosts"))
  throw new Error(`--play is ${play}: use threads, hosts or threads,hosts`);
if (chosen.length === 0)
  throw new Error(`--host is ${host}: use one of\n${strategies.map(({ name }) => name).join("\n")}`);

const milliseconds = (minutes * 60_000) / played.length;
const begin = performance.now();
let told = begin;

/** Returns what prints each violation when it is found, and the state of the run from time to time. */
function teller() {
  let shown = 0;
  return ({ violations, ...counts }: { readonly violations: readonly string[] }): void => {
    for (const violation of violations.slice(shown)) console.error(`\n${violation}`);
    shown = violations.length;
    if (performance.now() - told < 10_000) return;
    told = performance.now();
    const done = Object.entries(counts).map(([name, count]) => `${String(count)} ${name}`);
    console.error([...done, `${violations.length} violations`].join(", "));
  };
}

const threads = played.includes("threads")
  ? await runFuzz({ seed, milliseconds, onBatch: teller() })
  : { histories: 0, violations: [] };
const hosts = played.includes("hosts")
  ? await runHosts({ seed, milliseconds, strategies: chosen, onBatch: teller() })
  : { scripts: 0, prompts: 0, violations: [] };
const violations = threads.violations.length + hosts.violations.length;
const seconds = Math.round((performance.now() - begin) / 1_000);
const { histories } = threads;
const { scripts, prompts } = hosts;
console.log(JSON.stringify({ seed, histories, scripts, prompts, violations, seconds }));
process.exit(violations === 0 && histories + scripts > 0 ? 0 : 1);
