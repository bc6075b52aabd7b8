import { encryptContent, isEncrypted, type ContentKey } from "@palimpsest/vfs/internal";
import { Scan } from "../gather.js";
import { pack } from "../packing/pack.js";
import type { BlobKind } from "../reference.js";
import { clearPart, isStructuralTree } from "./structure.js";

/** Returns the stored form of a blob. */
export type EncryptBlob = (kind: BlobKind, bytes: Uint8Array) => Uint8Array;

/** How a thread encrypts. */
export interface Encryption {
  readonly key: ContentKey;
  readonly compress: boolean;
}

/**
 * Returns the encrypted form of a blob. References and digests of workspace files stay in clear, so that a collection needs no key; a
 * tree of nothing else stays as it is. Equal blobs of one key have one form.
 */
export function encryptBlob(kind: BlobKind, bytes: Uint8Array, { key, compress }: Encryption): Uint8Array {
  if ("mtb".includes(kind)) return encryptContent(pack(bytes, { compress }), key);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (isStructuralTree(kind, JSON.parse(text))) return bytes;
  const scan = new Scan();
  scan.tree(kind, Buffer.from(text));
  return encryptContent(pack(bytes, { compress }), key, {
    clear: Buffer.from(JSON.stringify(clearPart(scan))),
  });
}

/** Returns the stored form of a blob: an encrypted one is packed already. Pure. */
export function packBlob(bytes: Uint8Array, { compress }: { readonly compress: boolean }): Buffer {
  return pack(bytes, { compress: compress && !isEncrypted(bytes) });
}
