import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { FileError, showValue } from "../../errors.js";
import { directoryPrefix, normalizeFilePath, normalizePath } from "../../paths.js";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "../file-driver.js";
import { answered, type S3Client, type S3Head } from "./s3-client.js";

export interface S3DriverOptions {
  /** `new S3({ region })` of `@aws-sdk/client-s3`. The caller closes it. */
  readonly client: S3Client;
  readonly bucket: string;
  /** Beginning of every key. All objects below it belong to the driver. @default "palimpsest/" */
  readonly prefix?: string;
}

/** Random bytes at the end of each object. */
const markBytes = 16;
const attempts = 10;
const firstWait = 20;

/**
 * Keeps files in a bucket of S3, or of a compatible store: one object for each file, which ends in 16 random bytes. These give
 * every write its own ETag, even for the same content, so that a deletion can name one write.
 *
 * `modifiedAt` is the end of the second of the write: S3 keeps whole seconds, and a file must not seem older than it is.
 */
export class S3Driver implements FileDriver {
  readonly name = "s3";
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #root: string;

  private constructor({ client, bucket, prefix = "palimpsest/" }: S3DriverOptions) {
    this.#client = client;
    this.#bucket = bucket;
    this.#root = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  }

  /**
   * Returns the driver after it has tried a conditional write and a conditional deletion on an object of its own: a store that
   * ignores the conditions would lose files when several processes write. Throws a FileError "unwritable" for such a store, and
   * the errors of the client.
   */
  static async open(options: S3DriverOptions): Promise<S3Driver> {
    const driver = new S3Driver(options);
    await driver.#requireConditions();
    return driver;
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const normal = normalizePath(path);
    if (normal === "/") return undefined;
    const head = await this.#head(normal);
    return head && entryOf(normal, head.ContentLength, head.LastModified);
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = normalizePath(path);
    if (normal === "/") return undefined;
    if (range) return this.#readRange(normal, Math.max(0, range.start), range.end);
    const found = await answered(this.#client.getObject(this.#object(normal)), [404]);
    if ("status" in found) return undefined;
    const bytes = (await found.value.Body?.transformToByteArray()) ?? new Uint8Array();
    return bytes.slice(0, sizeOf(normal, bytes.length));
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const object = this.#object(normalizeFilePath(path));
    const Body = Buffer.concat([bytes, randomBytes(markBytes)]);
    if (!ifAbsent) {
      await this.#client.putObject({ ...object, Body });
      return true;
    }
    // 409: another conditional write of the key was under way, which may still fail.
    for (let attempt = 1; ; attempt++) {
      const put = this.#client.putObject({ ...object, Body, IfNoneMatch: "*" });
      const written = await answered(put, attempt < attempts ? [409, 412] : [412]);
      if ("value" in written) return true;
      if (written.status === 412) return false;
      await setTimeout(firstWait * attempt);
    }
  }

  /** Streams the pages of S3, whose order is that of the interface: by the UTF-8 bytes of the keys. */
  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const below = this.#keyOf(directoryPrefix(normalizePath(prefix)));
    const input = { Bucket: this.#bucket, Prefix: below, EncodingType: "url" } as const;
    for (let token: string | undefined, isLast = false; !isLast; isLast = token === undefined) {
      const page = await this.#client.listObjectsV2(token ? { ...input, ContinuationToken: token } : input);
      for (const { Key = "", Size, LastModified } of page.Contents ?? []) {
        const path = `/${decoded(Key).slice(this.#root.length)}`;
        yield entryOf(path, Size, LastModified);
      }
      token = page.NextContinuationToken;
    }
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = normalizePath(path);
    if (normal === "/") return false;
    for (let attempt = 1; ; attempt++) {
      const head = await this.#head(normal);
      if (!head) return false;
      const { modifiedAt } = entryOf(normal, head.ContentLength, head.LastModified);
      if (ifWrittenBy !== undefined && modifiedAt > ifWrittenBy) return false;
      const deletion = this.#client.deleteObject({ ...this.#object(normal), IfMatch: head.ETag ?? "" });
      // Another writer replaced or deleted the object in between: now, so after `ifWrittenBy`.
      const deleted = await answered(deletion, attempt < attempts ? [404, 409, 412] : [404]);
      if ("value" in deleted) return true;
      if (ifWrittenBy !== undefined) return false;
      await setTimeout(firstWait * attempt);
    }
  }

  async #readRange(path: string, start: number, end: number): Promise<Uint8Array | undefined> {
    // S3 refuses an empty range.
    if (end <= start) return (await this.#head(path)) && new Uint8Array();
    const request = { ...this.#object(path), Range: `bytes=${start}-${end - 1}` };
    const found = await answered(this.#client.getObject(request), [404, 416]);
    if ("status" in found) return found.status === 404 ? undefined : new Uint8Array();
    const bytes = (await found.value.Body?.transformToByteArray()) ?? new Uint8Array();
    const total = Number(/\/(\d+)$/.exec(found.value.ContentRange ?? "")?.[1] ?? bytes.length);
    return bytes.slice(0, Math.max(0, sizeOf(path, total) - start));
  }

  async #head(path: string): Promise<S3Head | undefined> {
    const found = await answered(this.#client.headObject(this.#object(path)), [404]);
    return "value" in found ? found.value : undefined;
  }

  #object(path: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#keyOf(path) };
  }

  #keyOf(path: string): string {
    return this.#root + path.slice(1);
  }

  async #requireConditions(): Promise<void> {
    const path = `/.conditions-${randomUUID()}`;
    const object = this.#object(path);
    await this.write(path, new Uint8Array());
    try {
      const isWrittenTwice = await this.write(path, new Uint8Array(), { ifAbsent: true });
      const other = this.#client.deleteObject({ ...object, IfMatch: `"${"0".repeat(32)}"` });
      const isKept = "status" in (await answered(other, [412]));
      if (isWrittenTwice || !isKept) throw this.#ignores(isWrittenTwice ? "IfNoneMatch" : "IfMatch");
    } finally {
      await this.#client.deleteObject(object);
    }
  }

  #ignores(condition: string): FileError {
    return new FileError(
      "unwritable",
      `The store of the bucket ${showValue(this.#bucket)} ignores the condition ${condition}, so parallel writers could lose files. ` +
        "Use a store with conditional writes and deletions, or keep the files in Postgres.",
    );
  }
}

function entryOf(path: string, bytes: number | undefined, modified: Date | undefined): DriverEntry {
  const second = Math.floor((modified?.getTime() ?? 0) / 1_000) + 1;
  return {
    path,
    size: sizeOf(path, bytes ?? 0),
    modifiedAt: new Date(second * 1_000).toISOString(),
  };
}

function sizeOf(path: string, stored: number): number {
  if (stored >= markBytes) return stored - markBytes;
  throw new FileError(
    "corrupt",
    `${path} is not an object of this driver: it has ${stored} bytes. Give the driver a prefix of its own.`,
  );
}

/** Keys come encoded, because XML cannot hold every character. */
function decoded(key: string): string {
  return decodeURIComponent(key.replaceAll("+", " "));
}
