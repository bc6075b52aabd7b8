import { Option } from "commander";
import { UsageError } from "./cli-error.js";

/** Secrets of the savers that write a storage. */
export interface Secrets {
  readonly tenantKey?: string | Uint8Array;
  readonly sealKey?: string | Uint8Array;
}

interface Secret {
  readonly option: keyof Secrets;
  readonly flag: string;
  readonly variable: string;
  readonly name: string;
  readonly use: string;
}

const secrets: readonly Secret[] = [
  {
    option: "tenantKey",
    flag: "--tenant-key",
    variable: "PALIMPSEST_TENANT_KEY",
    name: "tenant key",
    use: "the tenantKey of the saver, which workspace files need",
  },
  {
    option: "sealKey",
    flag: "--seal-key",
    variable: "PALIMPSEST_SEAL_KEY",
    name: "seal key",
    use: "the sealKey of the saver, which threads need whose key was lost",
  },
];

/** The options of every verb for a storage whose saver has secrets. */
export function secretOptions(): readonly Option[] {
  return secrets.map(({ flag, variable, use }) =>
    new Option(
      `${flag} <key>`,
      `${use}: text, or hex:00ff… for bytes; the environment variable keeps it out of the list of processes`,
    ).env(variable),
  );
}

/** Returns the secrets among the options. Throws a UsageError for an empty one, or for invalid hex digits. */
export function secretsOf(options: Readonly<Record<string, unknown>>): Secrets {
  const given = secrets.filter(({ option }) => options[option] !== undefined);
  return Object.fromEntries(
    given.map((secret) => [secret.option, keyOf(secret, String(options[secret.option]))]),
  );
}

function keyOf({ flag, variable, name }: Secret, text: string): string | Uint8Array {
  if (text === "") throw new UsageError(`The ${name} is empty. Pass it with ${flag}, or unset ${variable}.`);
  if (!text.startsWith("hex:")) return text;
  const digits = text.slice("hex:".length);
  if (/^(?:[\da-f]{2})+$/iu.test(digits)) return Buffer.from(digits, "hex");
  throw new UsageError(`The ${name} begins with hex: but does not continue with pairs of hex digits.`);
}
