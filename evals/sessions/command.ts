import { runCli } from "@palimpsest/cli";

/** Runs a command of `palimpsest` and returns the data that it prints as JSON. A finding, such as a broken line, is no failure. */
export async function command<Data>(...args: readonly string[]): Promise<Data> {
  let [out, errors] = ["", ""];
  const output = {
    write: (text: string): void => void (out += text),
    writeError: (text: string): void => void (errors += text),
  };
  await runCli([...args, "--json"], output);
  if (out === "") throw new Error(`palimpsest ${args.join(" ")}: ${errors}`);
  return JSON.parse(out) as Data;
}
