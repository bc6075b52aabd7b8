import { CheckpointError } from "../../checkpoint-error.js";
import type { Column } from "./libsql-database.js";

/** Returns the text of a column. Throws a CheckpointError "corrupt" when it holds none. Pure. */
export function textOf(value: Column | undefined): string {
  if (typeof value === "string") return value;
  throw new CheckpointError(
    "corrupt",
    "A stored row is damaged: its text is missing. Restore it from a copy.",
  );
}
