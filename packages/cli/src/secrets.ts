import { readFileSync } from "node:fs";
import type { EncryptionOptions } from "@palimpsest/vfs";
import { Option } from "commander";
import { UsageError } from "./cli-error.js";

/** Secrets of the savers that write a storage. */
export interface Secrets {
  readonly tenantKey?: string | Uint8Array;
  readonly sealKey?: string | Uint8Array;
  readonly encryption?: EncryptionOptions;
}

interface Secret {
  readonly option: "tenantKey" | "sealKey";
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
  return [
    ...secrets.map(({ flag, variable, use }) =>
      new Option(
        `${flag} <key>`,
        `${use}: text, or hex:00ff… for bytes; the environment variable keeps it out of the list of processes`,
      ).env(variable),
    ),
    new Option(
      "--encryption-keys <file>",
      'a JSON file with the keys of encryption, {"keys": {"id": "hex:00ff…"}}, and in "keyId" the one to write with',
    ).env("PALIMPSEST_ENCRYPTION_KEYS"),
  ];
}

/**
 * Returns the secrets among the options. Throws a UsageError for an empty one, for invalid hex digits, and for a file of keys that
 * cannot be used.
 */
export function secretsOf(options: Readonly<Record<string, unknown>>): Secrets {
  const given = secrets.filter(({ option }) => options[option] !== undefined);
  const file = options["encryptionKeys"] as string | undefined;
  return {
    ...Object.fromEntries(
      given.map((secret) => [secret.option, keyOf(secret, String(options[secret.option]))]),
    ),
    ...(file === undefined ? {} : { encryption: encryptionIn(file) }),
  };
}

interface KeyFile {
  readonly keys?: Readonly<Record<string, string>>;
  readonly keyId?: string;
}

/** The command line does not know whose key a thread has: it writes with the one that the file names. */
function encryptionIn(file: string): EncryptionOptions {
  const { keys = {}, keyId } = read(file);
  const bytes = new Map(
    Object.entries(keys).map(([id, key]) => {
      if (typeof key === "string" && /^hex:[\da-f]{64}$/iu.test(key))
        return [id, Buffer.from(key.slice("hex:".length), "hex")] as const;
      throw new UsageError(
        `The key ${JSON.stringify(id)} in ${file} is not hex: and 64 hex digits, which are 32 bytes.`,
      );
    }),
  );
  return {
    keyId: () => {
      if (keyId !== undefined) return keyId;
      throw new UsageError(`${file} names no "keyId": add the id of the key that this command writes with.`);
    },
    key: (id) => bytes.get(id),
  };
}

function read(file: string): KeyFile {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8"))) as KeyFile;
  } catch (error) {
    throw new UsageError(
      `The keys of encryption cannot be read: ${(error as Error).message}. Pass a JSON file such as {"keys": {"id": "hex:00ff…"}}.`,
    );
  }
}

function keyOf({ flag, variable, name }: Secret, text: string): string | Uint8Array {
  if (text === "") throw new UsageError(`The ${name} is empty. Pass it with ${flag}, or unset ${variable}.`);
  if (!text.startsWith("hex:")) return text;
  const digits = text.slice("hex:".length);
  if (/^(?:[\da-f]{2})+$/iu.test(digits)) return Buffer.from(digits, "hex");
  throw new UsageError(`The ${name} begins with hex: but does not continue with pairs of hex digits.`);
}
