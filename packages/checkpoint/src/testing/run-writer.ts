import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface WriterRun {
  /** The last acknowledged step of each thread, by target. */
  readonly acknowledged: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly exit: number | null;
  /** What the process printed to standard error. */
  readonly errors: string;
}

export interface RunWriterOptions {
  readonly targets: readonly string[];
  readonly threads: readonly string[];
  readonly steps: number;
  /** Kill -9 this many milliseconds after the first acknowledged step. @default the process ends by itself */
  readonly killAfter?: number;
}

/** The compiled script: starting it from source takes three times as long. */
const script = fileURLToPath(new URL("../../dist/testing/writer.js", import.meta.url));

/** Runs the writer in a process of its own. */
export async function runWriter({ killAfter, ...options }: RunWriterOptions): Promise<WriterRun> {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: fileURLToPath(new URL("../../../..", import.meta.url)),
  });
  const acknowledged = new Map(options.targets.map((target) => [target, new Map<string, number>()]));
  let rest = "";
  let errors = "";
  child.stderr.on("data", (data: Buffer) => {
    errors += data.toString();
  });
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on("data", (data: Buffer) => {
    if (killAfter !== undefined) timer ??= setTimeout(() => child.kill("SIGKILL"), killAfter);
    const lines = (rest + data.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [target, threadId, step]: [string, string, number] = JSON.parse(line);
      acknowledged.get(target)?.set(threadId, step);
    }
  });
  const exit = await new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  clearTimeout(timer);
  return { acknowledged, exit, errors };
}
