import { CheckpointError } from "@palimpsest/checkpoint";
import { FileError } from "@palimpsest/vfs";

/** Codes of errors that concern what one thread holds. */
const codes: ReadonlySet<string> = new Set(["corrupt", "missing-blob", "missing-key"]);

/**
 * Returns what an error says of a thread that cannot be read, beside which the others can; undefined for every other error. Pure.
 */
export function damageOf(error: unknown): string | undefined {
  const isOurs = CheckpointError.isInstance(error) || FileError.isInstance(error);
  return isOurs && codes.has(error.code) ? error.message : undefined;
}
