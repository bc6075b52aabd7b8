// A Deep-Agents-style research agent that reads far more than its window holds, and loses nothing.
// Run: npx tsx examples/deep-agent/main.ts   (see README.md beside this file)
import { runCli } from "./run-cli.js";

process.exitCode = await runCli(process.argv.slice(2), process);
