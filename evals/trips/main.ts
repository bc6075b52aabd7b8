// Prints what common tasks enter, from the coverage of V8: npm run trips [-- --json]
import { Coverage } from "./coverage.js";
import { loadTrips } from "./trips.js";

const coverage = new Coverage();
await coverage.start();
const trips: Record<string, { functions: number; files: number; statements?: number }> = {};
for (const { name, where = "/packages/", run } of await loadTrips()) {
  const { functions, files, calls } = await coverage.measure(run, where);
  const statements = [...calls].reduce((sum, [key, count]) => sum + (isStatement(key) ? count : 0), 0);
  trips[name] = statements === 0 ? { functions, files } : { functions, files, statements };
}
await coverage.stop();

/** Every statement that runs against SQLite is prepared, or is a script. */
function isStatement(key: string): boolean {
  return /\/sql\/dist\/sqlite\.js (?:#prepare|exec) /.test(key);
}

if (process.argv.includes("--json")) console.log(JSON.stringify(trips, undefined, 2));
else console.table(trips);
