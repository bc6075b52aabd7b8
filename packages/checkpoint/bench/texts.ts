import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The size of a message's text in the bench, in bytes. */
export const messageBytes = 2048;

const firstPrintable = 33;
const printable = 94;

export type TextKind = "text" | "random";

/** Returns a function that returns another 2 KB on each call: pieces of real documentation, or random characters. */
export function texts(kind: TextKind): () => string {
  let position = 0;
  if (kind === "random") return randomText;
  const source = documentation();
  return () => {
    position = (position + 1777) % (source.length - messageBytes);
    return source.slice(position, position + messageBytes);
  };
}

/** Returns uniformly distributed printable characters. Discards bytes that would favour some. */
function randomText(): string {
  const text = Buffer.alloc(messageBytes);
  for (let length = 0; length < text.length;) {
    for (const byte of randomBytes(text.length)) {
      if (byte < 2 * printable && length < text.length) text[length++] = firstPrintable + (byte % printable);
    }
  }
  return text.toString("latin1");
}

/** The documentation of the installed packages: prose with some code, as agents read it. Plain ASCII, so that a character is a byte. */
function documentation(): string {
  const packages = fileURLToPath(new URL("../../../node_modules/.pnpm", import.meta.url));
  const found: string[] = [];
  for (const folder of readdirSync(packages).sort()) {
    const name = folder.startsWith("@")
      ? folder.replace("+", "/").replace(/(?<=.)@.*$/u, "")
      : folder.replace(/@.*$/u, "");
    const readme = join(packages, folder, "node_modules", name, "README.md");
    if (existsSync(readme)) found.push(readFileSync(readme, "utf8"));
  }
  const text = found.join("\n").replaceAll(/[^\n\u0020-\u007E]/gu, "");
  if (text.length < 500_000)
    throw new Error(`Only ${text.length} characters of documentation were found to take texts from`);
  return text;
}
