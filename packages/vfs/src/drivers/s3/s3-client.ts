import { FileError, showValue } from "../../errors.js";

/** The part of a client that the driver uses: `new S3({ region })` of `@aws-sdk/client-s3`, or any client with these methods. */
export interface S3Client {
  putObject(input: S3Key & { readonly Body: Uint8Array; readonly IfNoneMatch?: string }): Promise<unknown>;
  getObject(input: S3Key & { readonly Range?: string }): Promise<S3Content>;
  headObject(input: S3Key): Promise<S3Head>;
  listObjectsV2(input: S3ListInput): Promise<S3Page>;
  deleteObject(input: S3Key & { readonly IfMatch?: string }): Promise<unknown>;
}

export interface S3Key {
  readonly Bucket: string;
  readonly Key: string;
}

export interface S3Content {
  readonly Body?: { transformToByteArray(): Promise<Uint8Array> } | undefined;
  /** `bytes 0-99/1234` for a request with a range. */
  readonly ContentRange?: string | undefined;
}

export interface S3Head {
  readonly ContentLength?: number | undefined;
  readonly LastModified?: Date | undefined;
  readonly ETag?: string | undefined;
}

export interface S3ListInput {
  readonly Bucket: string;
  readonly Prefix: string;
  readonly EncodingType: "url";
  readonly ContinuationToken?: string;
}

export interface S3Page {
  readonly Contents?:
    | readonly {
        readonly Key?: string | undefined;
        readonly Size?: number | undefined;
        readonly LastModified?: Date | undefined;
      }[]
    | undefined;
  /** Every page but the last has it. */
  readonly NextContinuationToken?: string | undefined;
  /** `false` on the last page. A page with neither is refused: an answer that is no listing would count as an empty one. */
  readonly IsTruncated?: boolean | undefined;
}

/** What a call to the store is for. */
export interface S3Call {
  readonly path: string;
  readonly to: "read" | "list" | "write" | "delete";
  readonly bucket: string;
  /** HTTP statuses that are an answer too. @default none */
  readonly expected?: readonly number[];
}

/** The answer of the store, or the HTTP status of a refusal and after how many attempts of the client it came. */
export type S3Answer<T> = { readonly value: T } | { readonly status: number; readonly attempts: number };

/**
 * Returns the result of a call, or the HTTP status of its error if that is one of those expected. Throws a FileError "unreadable" or
 * "unwritable" where access is denied, "busy" for any other failure of the store or of the way there.
 */
export async function answered<T>(work: Promise<T>, call: S3Call): Promise<S3Answer<T>> {
  try {
    return { value: await work };
  } catch (error) {
    const { httpStatusCode: status, attempts = 1 } = metadataOf(error);
    const isMissing = error instanceof Error && error.name === "NoSuchBucket";
    if (status === undefined || isMissing || call.expected?.includes(status) !== true)
      throw explained(error, call, status);
    return { status, attempts };
  }
}

function metadataOf(error: unknown): { readonly httpStatusCode?: number; readonly attempts?: number } {
  if (typeof error !== "object" || error === null || !("$metadata" in error)) return {};
  return error.$metadata as object;
}

const done = { read: "read from", list: "listed in", write: "written to", delete: "deleted from" };

function explained(cause: unknown, { path, to, bucket }: S3Call, status: number | undefined): unknown {
  if (FileError.isInstance(cause)) return cause;
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const what = `${path} could not be ${done[to]} the bucket ${showValue(bucket)}`;
  const answer = status === undefined ? "no answer" : `status ${status}`;
  if (status === 401 || status === 403) {
    const code = to === "read" || to === "list" ? "unreadable" : "unwritable";
    const message = `${what}: access is denied (${answer}, ${reason}). Check the credentials and the policy of the bucket.`;
    return new FileError(code, message, { cause, path });
  }
  const way = "Check the bucket and the endpoint, and try again.";
  return new FileError("busy", `${what} (${answer}, ${reason}). ${way}`, { cause });
}
