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
  readonly NextContinuationToken?: string | undefined;
}

/** Returns the HTTP status of an error of the client, or undefined. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("$metadata" in error)) return undefined;
  const { httpStatusCode } = error.$metadata as { readonly httpStatusCode?: number };
  return httpStatusCode;
}

/** Returns the result of a call, or the HTTP status of its error if that is one of `expected`; throws every other error. */
export async function answered<T>(
  call: Promise<T>,
  expected: readonly number[],
): Promise<{ readonly value: T } | { readonly status: number }> {
  try {
    return { value: await call };
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined || !expected.includes(status)) throw error;
    return { status };
  }
}
