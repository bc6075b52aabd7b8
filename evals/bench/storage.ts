import { spawn } from "node:child_process";
import { root } from "../root.js";
import { tableOf, type Column } from "../report/table-of.js";
import type { Suite, SuiteOptions, Table } from "../suite.js";

interface Growth {
  readonly label: string;
  readonly measured: readonly Measured[];
}

interface Measured {
  readonly steps: number;
  readonly factor: number;
  readonly msPerStep: number;
}

/** Adds the bench of the checkpointer to the report. It prints its own results and has its own options. */
export const storage: Suite = async (options) => {
  const measured = await benchOfCheckpointer<{ readonly growth: readonly Growth[] }>("storage.ts", options);
  const { growth } = measured;
  return {
    suite: "storage",
    question: "What do checkpoints cost, in bytes and in time, as a thread grows?",
    cases: growth.length,
    passed: growth.some(({ label }) => label.startsWith("VfsSaver")),
    tables: [
      growthTable("Bytes stored for each byte of content, one message of 2 KB a step", growth, "factor"),
      growthTable("Milliseconds of a step", growth, "msPerStep"),
    ],
    numbers: measured,
  };
};

function growthTable(title: string, growth: readonly Growth[], value: "factor" | "msPerStep"): Table {
  const steps = new Set(growth.flatMap(({ measured }) => measured.map((one) => one.steps)));
  return tableOf(growth, {
    title,
    columns: [
      ["checkpointer and content", ({ label }) => label],
      ...[...steps]
        .toSorted((one, other) => one - other)
        .map((count): Column<Growth> => {
          const at = ({ measured }: Growth) => measured.find((one) => one.steps === count);
          return [`${count} steps`, (one) => at(one)?.[value].toFixed(2) ?? ""];
        }),
    ],
  });
}

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
