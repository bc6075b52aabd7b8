// Prints the functions, files and statements of common tasks: npm run trips [-- --json]
import { join } from "node:path";
import { root, run } from "./run.mjs";

run(process.execPath, [join(root, "scripts/setup.mjs")]);
run(process.execPath, [join(root, "evals/dist/trips/main.js"), ...process.argv.slice(2)], { stdout: 1 });
