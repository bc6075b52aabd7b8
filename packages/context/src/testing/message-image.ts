import { BaseMessage } from "@langchain/core/messages";
import { inspect } from "node:util";

/**
 * Returns all that a message holds, its class included, as a text to compare: of the live object, and so
 * independent of the stored form that it may have come from.
 *
 * Pure. A `ForeignMessage` looks like the `ChatMessage` that it comes back as.
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

/** A message class that LangChain does not know, as a host of its own may use it. */
export class ForeignMessage extends BaseMessage {
  readonly type = "developer" as never;

  static override lc_name(): string {
    return "ForeignMessage";
  }
}

/**
 * Returns a text that two values share only if they look the same: keys in order of name, types told apart.
 *
 * A text is given with its length, so that nothing has to be escaped: several times as fast as `inspect`, which shows
 * what is neither plain data nor an array. Pure; a value that holds itself is not for it.
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
