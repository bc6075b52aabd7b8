import { createHash } from "node:crypto";

/** Returns a short name of a text that no other text has. Pure. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
