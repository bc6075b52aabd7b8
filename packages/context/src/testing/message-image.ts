import { BaseMessage } from "@langchain/core/messages";
import { inspect } from "node:util";

/**
 * Returns a text that is equal for two messages of the same class and content. Reads the live object, so it does not depend on
 * the stored form.
 *
 * Pure. A `ForeignMessage` equals the `ChatMessage` that it is restored as.
 */
export function messageImage(message: BaseMessage): string {
  const type = message.getType();
  const foreign = message.constructor === ForeignMessage;
  const name = foreign ? "ChatMessage" : message.constructor.name;
  const own = Object.entries(message).filter(([key, value]) => !key.startsWith("lc_") && value !== undefined);
  const fields = {
    ...Object.fromEntries(own),
    ...(foreign ? { type: "generic", role: type } : {}),
  };
  return `${name} ${valueImage(fields)}`;
}

/** A message class that LangChain does not know, as a host may define one. */
export class ForeignMessage extends BaseMessage {
  readonly type = "developer" as never;

  static override lc_name(): string {
    return "ForeignMessage";
  }
}

/**
 * Returns a text that is equal for equal values alone: keys are sorted, types are distinct.
 *
 * Writes strings with their length instead of escapes, which is several times as fast as `inspect`; `inspect` handles what is
 * neither plain data nor an array. Pure; does not support cyclic values.
 */
export function valueImage(value: unknown): string {
  if (typeof value === "string") return `${value.length}"${value}"`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : scalar(value);
  if (Array.isArray(value)) return `${value.length}[${value.map(valueImage).join(",")}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return shown(value);
  const keys = Reflect.ownKeys(value);
  if (keys.some((key) => typeof key === "symbol")) return shown(value);
  const fields = value as Readonly<Record<string, unknown>>;
  const sorted = (keys as string[]).toSorted();
  const start = prototype === null ? "null" : "";
  return `${start}{${sorted.map((key) => `${valueImage(key)}:${valueImage(fields[key])}`).join(",")}}`;
}

function scalar(value: unknown): string {
  return typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? shown(value) : String(value);
}

function shown(value: unknown): string {
  const whole = { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity };
  return inspect(value, { ...whole, breakLength: Infinity, sorted: true });
}
