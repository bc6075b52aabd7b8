import { writeFileSync } from "node:fs";
import { CliError } from "./cli-error.js";

/** Writes a new file. Throws a CliError when there is one at the path already, or it cannot be written. */
export function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (cause) {
    const exists = (cause as { readonly code?: unknown }).code === "EEXIST";
    throw new CliError(
      exists ? `${path} exists. Pass the path of a new file.` : `${path} cannot be written: ${String(cause)}`,
      { cause },
    );
  }
}
