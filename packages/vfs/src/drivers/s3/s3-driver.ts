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
import {
  answered,
  type S3Answer,
  type S3Call,
  type S3Client,
  type S3Head,
  type S3ListInput,
  type S3Page,
} from "./s3-client.js";

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
   * "unreadable" or "unwritable" where access is denied, "busy" where the store cannot be reached.
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
    const found = await this.#answered(this.#get(normal), { path: normal, to: "read", expected: [404] });
    if ("status" in found) return undefined;
    const { bytes } = found.value;
    return bytes.slice(0, sizeOf(normal, bytes.length));
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = normalizeFilePath(path);
    const object = this.#object(normal);
    const mark = randomBytes(markBytes);
    const Body = Buffer.concat([bytes, mark]);
    const call = { path: normal, to: "write" } as const;
    if (!ifAbsent) {
      await this.#answered(this.#client.putObject({ ...object, Body }), call);
      return true;
    }
    // 409: another conditional write of the key was under way, which may still fail.
    for (let attempt = 1; ; attempt++) {
      const put = this.#client.putObject({ ...object, Body, IfNoneMatch: "*" });
      const written = await this.#answered(put, {
        ...call,
        expected: attempt < attempts ? [409, 412] : [412],
      });
      if ("value" in written) return true;
      // The answer to an earlier attempt of the client may have been lost, so that this one meets its own object.
      if (written.status === 412) return written.attempts > 1 && this.#endsIn(normal, mark);
      await setTimeout(firstWait * attempt);
    }
  }

  /** Streams the pages of S3, whose order is that of the interface: by the UTF-8 bytes of the keys. */
  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const below = this.#keyOf(directoryPrefix(normalizePath(prefix)));
    const input = { Bucket: this.#bucket, Prefix: below, EncodingType: "url" } as const;
    for (let token: string | undefined, isLast = false; !isLast; isLast = token === undefined) {
      const page = await this.#page(prefix, token ? { ...input, ContinuationToken: token } : input);
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
      const expected = attempt < attempts ? [404, 409, 412] : [404];
      const deleted = await this.#answered(deletion, { path: normal, to: "delete", expected });
      if ("value" in deleted) return true;
      if (ifWrittenBy !== undefined) return false;
      await setTimeout(firstWait * attempt);
    }
  }

  async #readRange(path: string, start: number, end: number): Promise<Uint8Array | undefined> {
    // S3 refuses an empty range.
    if (end <= start) return (await this.#head(path)) && new Uint8Array();
    const range = { Range: `bytes=${start}-${end - 1}` };
    const call = { path, to: "read", expected: [404, 416] } as const;
    const found = await this.#answered(this.#get(path, range), call);
    if ("status" in found) return found.status === 404 ? undefined : new Uint8Array();
    const { bytes, from, total } = found.value;
    return bytes.slice(Math.max(0, start - from), Math.max(0, Math.min(end, sizeOf(path, total)) - from));
  }

  /** Returns bytes of an object, where they begin, and how many it has. A store may ignore a range and send all of them. */
  async #get(
    path: string,
    range: { readonly Range?: string } = {},
  ): Promise<{ readonly bytes: Uint8Array; readonly from: number; readonly total: number }> {
    const { Body, ContentRange = "" } = await this.#client.getObject({ ...this.#object(path), ...range });
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
    const [, from = 0, last = bytes.length - 1, total = bytes.length] = (
      /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange) ?? []
    ).map(Number);
    if (bytes.length === last - from + 1) return { bytes, from, total };
    throw new Error(`${bytes.length} bytes came of ${ContentRange}`);
  }

  /** Returns a page of a listing. What is none, such as the page of a proxy, would count as an empty one. */
  async #page(path: string, input: S3ListInput): Promise<S3Page> {
    const checked = this.#client.listObjectsV2(input).then((page) => {
      if (page.IsTruncated === false || page.NextContinuationToken !== undefined) return page;
      throw new Error(
        "the answer is no whole page of a listing: it has neither IsTruncated: false nor a NextContinuationToken",
      );
    });
    const found = await this.#answered(checked, { path, to: "list" });
    return "value" in found ? found.value : {};
  }

  async #endsIn(path: string, mark: Uint8Array): Promise<boolean> {
    const found = await this.#answered(this.#get(path), { path, to: "read", expected: [404] });
    return "value" in found && Buffer.from(found.value.bytes.slice(-markBytes)).equals(mark);
  }

  async #head(path: string): Promise<S3Head | undefined> {
    const head = this.#client.headObject(this.#object(path));
    const found = await this.#answered(head, { path, to: "read", expected: [404] });
    return "value" in found ? found.value : undefined;
  }

  async #answered<T>(work: Promise<T>, call: Omit<S3Call, "bucket">): Promise<S3Answer<T>> {
    return answered(work, { ...call, bucket: this.#bucket });
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
      const isKept = "status" in (await this.#answered(other, { path, to: "delete", expected: [412] }));
      if (isWrittenTwice || !isKept) throw this.#ignores(isWrittenTwice ? "IfNoneMatch" : "IfMatch");
    } finally {
      await this.#answered(this.#client.deleteObject(object), { path, to: "delete" });
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
