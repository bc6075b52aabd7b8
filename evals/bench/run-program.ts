import { spawn } from "node:child_process";
import { root } from "../root.js";

/** Runs a program of a package and returns the JSON that its last line is. Its other output is progress. */
export function runProgram<T>(
  path: string,
  args: readonly string[],
  progress: (line: string) => void,
): Promise<T> {
  const command = ["node_modules/tsx/dist/cli.mjs", path, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => progress(chunk.toString().trim().split("\n").at(-1) ?? ""));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(output.trim().split("\n").at(-1) ?? "") as T);
      else reject(new Error(`${path} ended with ${code}`));
    });
  });
}
