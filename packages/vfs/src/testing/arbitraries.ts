import * as fc from "fast-check";

const pieces = [
  "a",
  "b",
  " ",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  "é",
  "漢",
  "😀",
  "\uFEFF",
  "\u2028",
  "\0",
  "$&",
  "line",
];

/** Texts with every kind of line break and with wide characters, with or without a last line break. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 40 }),
);

export const anyBytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 300 });

/** Paths that every method refuses. */
export const badPaths: readonly string[] = [
  "",
  "/../etc/passwd",
  "/a/../../b",
  "..\\..\\windows",
  "/a\0b",
  "/\ud800",
  `/${"x".repeat(256)}`,
  `/${"long/".repeat(300)}`,
];

/** Returns bytes in a form that compares equal for any class of byte array. */
export function hex(bytes: Uint8Array | null | undefined): string | undefined {
  return bytes ? Buffer.from(bytes).toString("hex") : undefined;
}
