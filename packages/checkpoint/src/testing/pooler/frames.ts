/** Codes of the requests that come in place of a startup message. */
const sslRequest = 80_877_103;
const gssRequest = 80_877_104;
const cancelRequest = 80_877_102;

/** Divides the bytes of a connection into the messages of Postgres' protocol. */
export class Frames {
  #rest = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
  }

  /** Returns the next message: a byte with its type, four with its length, and its body. */
  next(): Buffer | undefined {
    return this.#rest.length < 5 ? undefined : this.#take(1 + this.#rest.readInt32BE(1));
  }

  /** Returns the first message of a client, which has no type. */
  nextStartup(): Buffer | undefined {
    return this.#rest.length < 4 ? undefined : this.#take(this.#rest.readInt32BE(0));
  }

  #take(length: number): Buffer | undefined {
    if (this.#rest.length < length) return undefined;
    const message = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return message;
  }
}

export interface Startup {
  readonly kind: "encryption" | "cancel" | "startup";
  readonly parameters: Readonly<Record<string, string>>;
}

/** Returns what the first message of a client asks for. Pure. */
export function readStartup(message: Buffer): Startup {
  const code = message.readInt32BE(4);
  if (code === sslRequest || code === gssRequest) return { kind: "encryption", parameters: {} };
  if (code === cancelRequest) return { kind: "cancel", parameters: {} };
  const words = message.subarray(8).toString().split("\0");
  const parameters: Record<string, string> = {};
  for (let at = 0; at + 1 < words.length && words[at] !== ""; at += 2)
    parameters[words[at] ?? ""] = words[at + 1] ?? "";
  return { kind: "startup", parameters };
}

/** Returns the message with an error that ends a connection. Pure. */
export function fatalError(code: string, message: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Returns the type of a message. Pure. */
export function typeOf(message: Buffer): string {
  return String.fromCharCode(message[0] ?? 0);
}
