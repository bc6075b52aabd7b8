#!/usr/bin/env node
import { runCli } from "./run-cli.js";

const { stdout, stderr } = process;
stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of a pipe, such as `head`, has closed it.
  if (error.code === "EPIPE") process.exit();
  stderr.write(`palimpsest: the output cannot be written: ${error.message}\n`);
  process.exit(1);
});
process.exitCode = await runCli(process.argv.slice(2), {
  write: (text) => void stdout.write(text),
  writeError: (text) => void stderr.write(text),
  hasProgressLine: stderr.isTTY,
  terminal: stdout.isTTY
    ? {
        size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
        hasColors: stdout.hasColors(),
      }
    : undefined,
});
