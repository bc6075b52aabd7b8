import { Option } from "commander";
import { UsageError } from "./cli-error.js";
import type { VerbInput } from "./verb.js";

const variable = "PALIMPSEST_TENANT_KEY";

/** The option of every verb for a storage whose saver has a `tenantKey`. */
export function tenantKeyOption(): Option {
  return new Option(
    "--tenant-key <key>",
    "the tenantKey of the saver, which workspace files need: text, or hex:00ff… for bytes; the environment variable keeps it out of the list of processes",
  ).env(variable);
}

/** Returns the given key; undefined without one. Throws a UsageError for invalid hex digits. */
export function tenantKeyOf(given: VerbInput["options"][string]): string | Uint8Array | undefined {
  if (given === undefined) return undefined;
  const text = String(given);
  if (text === "")
    throw new UsageError(`The tenant key is empty. Pass it with --tenant-key, or unset ${variable}.`);
  if (!text.startsWith("hex:")) return text;
  const digits = text.slice("hex:".length);
  if (/^(?:[\da-f]{2})+$/iu.test(digits)) return Buffer.from(digits, "hex");
  throw new UsageError("The tenant key begins with hex: but does not continue with pairs of hex digits.");
}
