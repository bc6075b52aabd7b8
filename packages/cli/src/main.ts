#!/usr/bin/env node
import { runCli } from "./run-cli.js";

const { stdin, stdout, stderr } = process;
stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of a pipe, such as `head`, has closed it.
  if (error.code === "EPIPE") process.exit();
  stderr.write(`palimpsest: the output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// Notices and progress have no reader then: the work and its exit code are what counts.
stderr.on("error", () => undefined);
/** Reads keys one by one, without printing them. */
function onKey(listener: (key: string) => void): () => void {
  const read = (bytes: Buffer): void => listener(bytes.toString());
  stdin.setRawMode(true);
  stdin.on("data", read);
  stdin.resume();
  return () => {
    stdin.off("data", read);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

process.exitCode = await runCli(process.argv.slice(2), {
  write: (text) => void stdout.write(text),
  writeError: (text) => void stderr.write(text),
  hasProgressLine: stderr.isTTY,
  terminal: stdout.isTTY
    ? {
        size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
        hasColors: stdout.hasColors(),
        onKey: stdin.isTTY ? onKey : undefined,
      }
    : undefined,
});
