/** Returns stored bytes as numbers; a copy, for the bytes may not be aligned. */
export function floats(bytes: ArrayBuffer | Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** Returns numbers as bytes to store; the same memory. */
export function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
