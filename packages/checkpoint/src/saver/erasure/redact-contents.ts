import type { BlobStore } from "@palimpsest/vfs";
import { FileError } from "@palimpsest/vfs";
import { countLines, type FileEntry, type Signer } from "@palimpsest/vfs/internal";
import type { Redaction } from "./redaction.js";

export type Verifier = (purpose: "file" | "fold" | "held", text: string, seal: string) => boolean;

export interface RedactContentsOptions {
  /** The contents of the thread. */
  readonly blobs: BlobStore;
  readonly redaction: Redaction;
  readonly sign: Signer;
  readonly isGenuine: Verifier;
}

/** The contents of workspace files that change, by digest. */
export class RedactedContents {
  readonly #options: RedactContentsOptions;
  readonly #changed = new Map<string, Uint8Array>();
  readonly #stored = new Map<string, string>();

  private constructor(options: RedactContentsOptions) {
    this.#options = options;
  }

  /** Reads the contents, and writes nothing. A content that is gone already stays so. */
  static async plan(digests: Iterable<string>, options: RedactContentsOptions): Promise<RedactedContents> {
    const contents = new RedactedContents(options);
    for (const digest of digests) {
      const bytes = await options.blobs.get(digest).catch(undefinedIfMissing);
      const redacted = bytes && options.redaction.bytes(bytes);
      if (redacted !== undefined && redacted !== bytes) contents.#changed.set(digest, redacted);
    }
    return contents;
  }

  /** Digests of the contents that change. */
  get digests(): readonly string[] {
    return [...this.#changed.keys()];
  }

  /** Stores the new contents. Returns their digests. */
  async store(): Promise<readonly string[]> {
    for (const [digest, bytes] of this.#changed)
      this.#stored.set(digest, await this.#options.blobs.put(bytes));
    return [...this.#stored.values()];
  }

  /** Returns an entry with the new content, after `store`, and with its seal if it had a genuine one. */
  readonly entry = (given: object): object => {
    const entry = given as FileEntry;
    const bytes = this.#changed.get(entry.digest);
    const digest = this.#stored.get(entry.digest);
    const conflicts = this.#conflicts(entry);
    if (bytes === undefined || digest === undefined)
      return conflicts === undefined ? entry : { ...entry, ...conflicts };
    const { sign, isGenuine } = this.#options;
    const isSealed = entry.seal !== undefined && isGenuine("file", entry.digest, entry.seal);
    const seal = isSealed ? { seal: sign("file", digest) } : {};
    return { ...entry, ...conflicts, digest, size: bytes.length, lines: countLines(bytes), ...seal };
  };

  /** The paths of other files in an entry, if they change. */
  #conflicts({ conflictOf, conflicts }: FileEntry): Partial<FileEntry> | undefined {
    const text = (path: string) => this.#options.redaction.text(path);
    const changed = {
      ...(conflictOf === undefined ? {} : { conflictOf: text(conflictOf) }),
      ...(conflicts === undefined ? {} : { conflicts: conflicts.map(text) }),
    };
    return JSON.stringify(changed) === JSON.stringify({ conflictOf, conflicts }) ? undefined : changed;
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (!FileError.isInstance(error) || error.code !== "not-found") throw error;
}
