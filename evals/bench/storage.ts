import { spawn } from "node:child_process";
import { root } from "../root.js";
import type { Chart, Suite, SuiteOptions } from "../suite.js";

interface Growth {
  readonly label: string;
  readonly measured: readonly {
    readonly steps: number;
    readonly bytes: number;
    readonly factor: number;
    readonly msPerStep: number;
  }[];
}

interface Measured {
  readonly growth: readonly Growth[];
}

/** Adds the bench of the checkpointer to the report. It prints its own results and has its own options. */
export const storage: Suite = async (options) => {
  const measured = await benchOfCheckpointer<Measured>("storage.ts", options);
  const { growth } = measured;
  const steps = [...new Set(growth.flatMap(({ measured: each }) => each.map((one) => one.steps)))].toSorted(
    (a, b) => a - b,
  );
  const chart = (
    title: string,
    label: string,
    value: (one: Growth["measured"][number]) => number,
  ): Chart => ({
    title,
    x: { label: "steps", scale: "log" },
    y: { label, scale: "log" },
    series: growth
      .filter(({ label: name }) => name.endsWith("random") && !name.includes("delta"))
      .map(({ label: name, measured: each }) => ({
        label: name,
        points: each.map((one) => ({ x: one.steps, y: value(one) })),
      })),
  });
  return {
    suite: "storage",
    question: "What do checkpoints cost, in bytes and in time, as a thread grows?",
    cases: growth.length,
    passed: growth.some(({ label }) => label.startsWith("VfsSaver")),
    tables: [
      {
        title: "Bytes stored for each byte of content, one message of 2 KB a step",
        columns: ["checkpointer and content", ...steps.map((count) => `${count} steps`)],
        rows: growth.map(({ label, measured: each }) => [
          label,
          ...steps.map((count) => {
            const factor = each.find((one) => one.steps === count)?.factor;
            return factor === undefined ? "" : factor.toFixed(2);
          }),
        ]),
      },
    ],
    charts: [
      chart("Bytes stored", "bytes", ({ bytes }) => bytes),
      chart("Time of a step", "ms", ({ msPerStep }) => msPerStep),
    ],
    numbers: measured,
  };
};

/** Runs a bench of the checkpointer, a file below its folder `bench`. Returns the JSON that its last line is. */
export function benchOfCheckpointer<T>(
  file: string,
  { args, quick = false, progress }: SuiteOptions,
): Promise<T> {
  const bench = ["node_modules/tsx/dist/cli.mjs", `packages/checkpoint/bench/${file}`, "--json"];
  const command = [...bench, ...args, ...(quick ? ["--quick"] : [])];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => progress(chunk.toString().trim().split("\n").at(-1) ?? ""));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(output.trim().split("\n").at(-1) ?? "") as T);
      else reject(new Error(`The bench of the checkpointer ended with ${code}`));
    });
  });
}
