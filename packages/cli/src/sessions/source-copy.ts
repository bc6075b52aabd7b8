import { createHash } from "node:crypto";
import type { Archive } from "@palimpsest/vfs";

/** The directory of the archive with the files of sessions, byte for byte. */
export const sourceDirectory = "/context/session/";

/** Bytes of a part of a file in the archive. */
const partBytes = 1024 * 1024;

/** How much of a file is in the archive: its first bytes, and the SHA-256 of them. */
export interface CopiedBytes {
  readonly bytes: number;
  readonly digest: string;
  /** The files of the archive that hold them, in order. */
  readonly parts: readonly string[];
  /** The file that holds the last bytes, which are no whole record and are not counted above. */
  readonly tail?: string | undefined;
}

/** Copies the bytes of a session into the archive of its thread, in parts with their offset and digest in their names. */
export class SourceCopy {
  readonly #archive: Archive;
  readonly #hash = createHash("sha256");
  readonly #known: number;
  readonly #parts: string[];
  #waiting: Uint8Array[] = [];
  #size = 0;
  #stored: CopiedBytes;

  /** `known` is what an earlier import has copied. */
  constructor(archive: Archive, known?: CopiedBytes) {
    this.#archive = archive;
    this.#known = known?.bytes ?? 0;
    this.#parts = [...(known?.parts ?? [])];
    this.#stored = { bytes: 0, digest: this.digest(), parts: [] };
  }

  /** Bytes added so far. */
  get bytes(): number {
    return this.#stored.bytes + this.#size;
  }

  get stored(): CopiedBytes {
    return this.#stored;
  }

  /** Returns the digest of all bytes added so far. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  async add(bytes: Uint8Array): Promise<void> {
    // A line of many megabytes is several parts: each is copied, packed and read back.
    for (let at = 0; at < bytes.length; at += partBytes) {
      const part = bytes.subarray(at, at + partBytes);
      this.#hash.update(part);
      this.#waiting.push(part);
      this.#size += part.length;
      if (this.#size >= partBytes || this.bytes === this.#known) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.#size === 0) return;
    const end = this.bytes;
    if (end > this.#known) this.#parts.push(await this.#append(Buffer.concat(this.#waiting, this.#size)));
    this.#stored = { bytes: end, digest: this.digest(), parts: [...this.#parts] };
    this.#waiting = [];
    this.#size = 0;
  }

  /** Copies the last bytes of a file that is still being written. They are copied again with what follows. */
  async addUnfinished(bytes: Uint8Array): Promise<void> {
    await this.flush();
    this.#stored = { ...this.#stored, tail: await this.#append(bytes) };
  }

  async #append(content: Uint8Array): Promise<string> {
    const path = partPath(this.#stored.bytes, content);
    await this.#archive.appendAll([{ path, content }]);
    return path;
  }
}

function partPath(offset: number, content: Uint8Array): string {
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 16);
  return `${sourceDirectory}${String(offset).padStart(14, "0")}-${digest}.jsonl`;
}

/** Yields the file of a session from the archive of its thread, byte for byte. */
export async function* sourceOf(archive: Archive, { parts, tail }: CopiedBytes): AsyncGenerator<Uint8Array> {
  for (const path of tail === undefined ? parts : [...parts, tail]) yield await archive.readBytes(path);
}
