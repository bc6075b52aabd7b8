import { Decoder } from "../codec/decoder.js";
import { Encoder } from "../codec/encoder.js";
import { HostSerializer } from "../codec/special-values.js";
import type { Node } from "../codec/node.js";
import { pack, unpack } from "../codec/packing/pack.js";
import { Unpacked } from "../codec/packing/unpacked.js";

const serializer = new HostSerializer();

/** An encoder, and the blobs that it returned, packed. */
export class CodecBench {
  readonly encoder = new Encoder(serializer.toText);
  readonly blobs = new Map<string, Uint8Array>();

  /** Encodes a value and stores its blobs. */
  encode(value: unknown): Node {
    const { result, blobs } = this.encoder.collect(() => this.encoder.encode(value));
    for (const [digest, bytes] of blobs) this.blobs.set(digest, pack(bytes));
    return JSON.parse(JSON.stringify(result));
  }

  async decode(node: Node, encoder?: Encoder): Promise<unknown> {
    const decoder = new Decoder({
      load: async (digests) =>
        digests.map((digest) => {
          const packed = this.blobs.get(digest);
          if (!packed) throw new Error(`no blob ${digest}`);
          return Unpacked.alone(unpack(packed));
        }),
      fromText: serializer.fromText,
      ...(encoder ? { encoder } : {}),
    });
    await decoder.load([node]);
    return decoder.build(node);
  }

  async roundTrip(value: unknown): Promise<unknown> {
    return this.decode(this.encode(value));
  }

  /** The size of all blobs in bytes. */
  get size(): number {
    return [...this.blobs.values()].reduce((sum, { length }) => sum + length, 0);
  }
}
