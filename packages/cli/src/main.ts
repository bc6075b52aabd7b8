#!/usr/bin/env node
import { runCli } from "./run-cli.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of a pipe, such as `head`, has read enough.
  if (error.code === "EPIPE") process.exit();
  throw error;
});
process.exitCode = await runCli(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  columns: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
});
