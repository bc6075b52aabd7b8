import { decryptContent, encryptContent, readHead, type ContentKey } from "@palimpsest/vfs/internal";
import { Scan } from "../gather.js";
import { encryptedTag, isTagged, tag } from "../node.js";
import type { Node } from "../node.js";
import { pack, unpack } from "../packing/pack.js";
import { clearPart, isStructure } from "./structure.js";
import type { Encryption } from "./encrypt-blob.js";

/** Returns a node in encrypted form; one without content as it is. */
export function encryptNode(node: Node, { key, compress }: Encryption): Node {
  if (isStructure(node)) return node;
  const scan = new Scan();
  scan.node(node);
  const { references = [], files = [] } = clearPart(scan);
  const content = encryptContent(pack(Buffer.from(JSON.stringify(node)), { compress }), key);
  return {
    [tag]: encryptedTag,
    v: content.toString("base64"),
    ...(references.length === 0 ? {} : { r: references }),
    ...(files.length === 0 ? {} : { f: files }),
  };
}

/** Returns the id of the key of an encrypted node, undefined for another node. Pure. */
export function keyIdOf(node: Node): string | undefined {
  return isEncryptedNode(node) ? (readHead(contentOf(node))?.keyId ?? "") : undefined;
}

/** Returns the node in an encrypted one; another as it is. */
export function decryptNode(node: Node, keys: ReadonlyMap<string, ContentKey>): Node {
  if (!isEncryptedNode(node)) return node;
  const content = contentOf(node);
  const key = keys.get(readHead(content)?.keyId ?? "");
  if (key === undefined) throw new TypeError("The key of a node was not loaded before.");
  return JSON.parse(unpack(decryptContent(content, key)).toString()) as Node;
}

function isEncryptedNode(node: Node): node is { readonly [key: string]: Node } {
  return isTagged(node) && node[tag] === encryptedTag;
}

function contentOf(node: { readonly [key: string]: Node }): Buffer {
  return Buffer.from(node["v"] as string, "base64");
}
