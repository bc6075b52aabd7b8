const sha256 = /^[0-9a-f]{64}$/;

/** Returns the digest of a workspace file's content when an object is an entry of a `files` channel. Pure. */
export function fileDigest(value: object): string | undefined {
  if (!("digest" in value && "size" in value && "lines" in value && "modifiedAt" in value)) return undefined;
  const { digest } = value;
  return typeof digest === "string" && sha256.test(digest) ? digest : undefined;
}
