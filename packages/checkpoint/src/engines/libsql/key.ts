import { uuidBytes, uuidFrom } from "../../codec/uuid.js";
import { bytesOf } from "./bytes-of.js";
import type { Column, Value } from "./libsql-database.js";

/** Returns an id as it is stored: a lower-case UUID as 16 bytes, which sort as its text does, another as its text. Pure. */
export function toKey(id: string): Value {
  return uuidBytes(id) ?? id;
}

/** Returns the id that `toKey` was given. Pure. */
export function fromKey(key: Column | undefined): string {
  return typeof key === "string" ? key : uuidFrom(bytesOf(key));
}
