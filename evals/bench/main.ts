// Runs benches and writes them into the report: npm run bench -- NAME [--compare FILE] [--quick] [--json] [options of the bench]
import { parseCommandLine } from "../run/command-line.js";
import { runNamed } from "../run/run-named.js";
import { suites } from "../suites.js";
import { benches } from "./benches.js";

try {
  const line = parseCommandLine(process.argv.slice(2));
  const unknown = line.names.filter((name) => benches[name] === undefined);
  if (unknown.length > 0 || line.names.length === 0)
    throw new Error(`There is no bench ${unknown.join(", ")}; there are: ${Object.keys(benches).join(", ")}`);
  process.exit(await runNamed({ line, names: line.names, registry: { ...suites, ...benches } }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
}
