// Prints what common tasks enter, from the coverage of V8, and what the sources repeat: npm run trips [-- --json]
import { root } from "../root.js";
import { Coverage } from "./coverage.js";
import { sourceCounts } from "./source-counts.js";
import { loadTrips } from "./trips.js";

const coverage = new Coverage();
await coverage.start();
const trips: Record<string, { functions: number; files: number; statements?: number }> = {};
for (const { name, where, run } of await loadTrips()) {
  const { functions, files, calls } = await coverage.measure(run, where);
  const statements = [...calls].reduce((sum, [key, count]) => sum + (isStatement(key) ? count : 0), 0);
  trips[name] = statements === 0 ? { functions, files } : { functions, files, statements };
}
await coverage.stop();
const counts = sourceCounts(root);

/** Every statement that runs against SQLite is prepared, or is a script. */
function isStatement(key: string): boolean {
  return /\/sql\/dist\/sqlite\.js (?:#prepare|exec) /.test(key);
}

if (process.argv.includes("--json")) console.log(JSON.stringify({ trips, counts }, undefined, 2));
else {
  for (const [name, { functions, files, statements }] of Object.entries(trips)) {
    const rest = statements === undefined ? "" : `, ${statements} statements`;
    console.log(`${name}: ${functions} functions in ${files} files${rest}`);
  }
  for (const [name, count] of Object.entries(counts)) console.log(`${name}: ${count}`);
}
