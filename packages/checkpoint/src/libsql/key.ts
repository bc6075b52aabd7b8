import { bytesOf } from "./bytes-of.js";
import type { Column, Value } from "./libsql-database.js";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns an id as it is stored: a lower-case UUID as 16 bytes, which sort as its text does, another as its text. Pure. */
export function toKey(id: string): Value {
  return uuid.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : id;
}

/** Returns the id that `toKey` was given. Pure. */
export function fromKey(key: Column | undefined): string {
  if (typeof key === "string") return key;
  const hex = Buffer.from(bytesOf(key)).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
