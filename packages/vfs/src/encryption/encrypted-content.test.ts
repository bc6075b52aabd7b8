import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileError } from "../errors.js";
import { ContentKey } from "./content-key.js";
import {
  chunkSize,
  contentSize,
  decryptChunks,
  decryptContent,
  encryptContent,
  fileHeadSize,
  isEncrypted,
  readHead,
  storedRange,
} from "./encrypted-content.js";

const key = new ContentKey("tenant-7/1", randomBytes(32));
const other = new ContentKey("tenant-7/1", randomBytes(32));
const sizes = fc.oneof(
  fc.nat(300),
  fc.constantFrom(0, 1, chunkSize - 1, chunkSize, chunkSize + 1, 2 * chunkSize, 3 * chunkSize + 7),
);
const contents = sizes.map((size) => randomBytes(size));

/** Returns the code of the error that a call throws; undefined if it throws none. */
function codeOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return FileError.isInstance(error) ? error.code : String(error);
  }
}

describe("an encrypted content", () => {
  it("is decrypted with its key, at its place, and states its size", () => {
    fc.assert(
      fc.property(contents, fc.string(), fc.uint8Array(), (content, place, clear) => {
        const stored = encryptContent(content, key, { place, clear, headSize: fileHeadSize });
        const head = readHead(stored);
        expect(decryptContent(stored, key, place).equals(content)).toBe(true);
        expect(head?.keyId).toBe("tenant-7/1");
        expect(head?.clear.equals(clear)).toBe(true);
        expect(contentSize(stored.length, head?.size ?? 0)).toBe(content.length);
      }),
    );
  });

  it("gives any range of it from the chunks of the range", () => {
    fc.assert(
      fc.property(contents, fc.nat(), fc.nat(), (content, a, b) => {
        const stored = encryptContent(content, key, { headSize: fileHeadSize });
        const [start = 0, end = 0] = [a % (content.length + 1), b % (content.length + 1)].sort(
          (x, y) => x - y,
        );
        const part = storedRange({ start, end }, fileHeadSize);
        const chunks = { start, end, size: content.length, from: part.from };
        const options = { head: stored, key, place: "", chunks };
        const range = decryptChunks(stored.subarray(part.start, part.end), options);
        expect(range.equals(content.subarray(start, end))).toBe(true);
      }),
    );
  });

  it("is the same for equal contents under one key, and another for each key, place and content", () => {
    const content = Buffer.from("the same words");
    const stored = encryptContent(content, key);
    expect(encryptContent(content, key).equals(stored)).toBe(true);
    const others = [
      encryptContent(content, other),
      encryptContent(content, key, { place: "/a" }),
      encryptContent(Buffer.from("the same word."), key),
    ];
    expect(new Set([stored, ...others].map((each) => each.subarray(-40).toString("hex"))).size).toBe(4);
  });

  it("is refused with another key or place, with any changed byte, and cut anywhere", () => {
    const content = Buffer.from("a secret of the tenant");
    const stored = encryptContent(content, key, { place: "/a", clear: Buffer.from("[]") });
    expect(codeOf(() => decryptContent(stored, other, "/a"))).toBe("corrupt");
    expect(codeOf(() => decryptContent(stored, key, "/b"))).toBe("corrupt");
    for (const [position, byte] of stored.entries()) {
      const changed = Buffer.from(stored);
      changed.writeUInt8(byte ^ 1, position);
      expect(codeOf(() => decryptContent(changed, key, "/a"))).toBe("corrupt");
    }
    for (let length = 0; length < stored.length; length++)
      expect(codeOf(() => decryptContent(stored.subarray(0, length), key, "/a"))).toBe("corrupt");
  });

  it("is refused without its last chunk, and with two chunks exchanged", () => {
    const stored = encryptContent(randomBytes(3 * chunkSize), key);
    const start = (readHead(stored)?.size ?? 0) + 16;
    const chunk = (number: number): Buffer =>
      stored.subarray(start + number * (chunkSize + 16), start + (number + 1) * (chunkSize + 16));
    const head = stored.subarray(0, start);
    expect(codeOf(() => decryptContent(Buffer.concat([head, chunk(0), chunk(1)]), key))).toBe("corrupt");
    const exchanged = Buffer.concat([head, chunk(1), chunk(0), chunk(2)]);
    expect(codeOf(() => decryptContent(exchanged, key))).toBe("corrupt");
  });

  it("is told from text, JSON and other bytes", () => {
    fc.assert(fc.property(fc.string(), (text) => !isEncrypted(Buffer.from(text))));
    expect(isEncrypted(Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).toBe(false);
    expect(isEncrypted(encryptContent(Buffer.alloc(0), key))).toBe(true);
  });
});
