import { runCli } from "../run-cli.js";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command and returns what it printed. */
export async function run(...args: readonly string[]): Promise<Ran> {
  let [out, err] = ["", ""];
  const write = (text: string): void => void (out += text);
  const writeError = (text: string): void => void (err += text);
  const code = await runCli(args, { write, writeError, progressInterval: 0 });
  return { code, out, err };
}

/** Runs a command that must succeed, and returns its JSON. */
export async function json<T>(...args: readonly string[]): Promise<T> {
  const { code, out, err } = await run(...args, "--json");
  if (code !== 0) throw new Error(err);
  return JSON.parse(out) as T;
}
