import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

const figures = new URL("process-figures.mjs", import.meta.url).href;

/** Starts a script in a process of its own that is measured. */
export function startNode(script, args) {
  const child = spawn(process.execPath, ["--import", figures, script, ...args]);
  const [out, err] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (text) => out.push(text));
  child.stderr.setEncoding("utf8").on("data", (text) => err.push(text));
  return {
    child,
    /** Megabytes that are resident now. */
    residentMb: () =>
      Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024,
    output: () => out.join(""),
    /** Resolves at its end with milliseconds of the clock and of the processors, and the peak of its memory. */
    async ended() {
      if (child.exitCode === null) await once(child, "close");
      if (child.exitCode !== 0)
        throw new Error(`${script} ended with ${child.exitCode}: ${err.join("").slice(-2_000)}`);
      return JSON.parse(err.join("").trim().split("\n").at(-1));
    },
  };
}

/** Runs a script to its end. */
export async function runNode(script, args) {
  const started = performance.now();
  const running = startNode(script, args);
  const measured = await running.ended();
  return { ...measured, ms: performance.now() - started, output: running.output() };
}
