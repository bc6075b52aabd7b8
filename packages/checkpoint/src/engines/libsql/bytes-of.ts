import { CheckpointError } from "../../checkpoint-error.js";
import type { Column } from "./libsql-database.js";

/** Returns the bytes of a column. Throws a CheckpointError "corrupt" when it holds none. Pure. */
export function bytesOf(value: Column | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new CheckpointError(
    "corrupt",
    "A stored row is damaged: its bytes are missing. Restore it from a copy.",
  );
}
