// Runs one suite in a process of its own, for the command that runs several.
import { suites } from "../suites.js";
import { parseCommandLine } from "./command-line.js";
import { runAndKeep } from "./run-named.js";

const line = parseCommandLine(process.argv.slice(2));
const run = await runAndKeep(line.names[0] ?? "", { line, registry: suites });
// The parent process writes the report once.
if (run !== undefined) await new Promise((sent) => process.send?.(run.result.suite, sent));
process.exit(0);
