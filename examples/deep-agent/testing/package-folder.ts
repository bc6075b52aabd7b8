import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Returns a new temporary folder that holds the given files: path -> text. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "deep-agent-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Returns the text of a package.json. */
export function manifest(name: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name, version: "1.0.0", ...fields }, undefined, 2);
}
