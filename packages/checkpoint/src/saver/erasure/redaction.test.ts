import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkErase } from "./erase-options.js";
import { Redaction } from "./redaction.js";

const tombstone = "[erased 2026-11-27: key leaked]";
const secret = 'sk-live-51Hqk/9+x\\"Zt';

function redactionOf(match: string | RegExp, pieces = false): Redaction {
  return Redaction.of([match], tombstone).with({ pieces });
}

describe("Redaction", () => {
  it("erases a text as it is, inside JSON once and twice, and in a URL", () => {
    const redaction = redactionOf(secret);
    const once = JSON.stringify({ key: secret });
    for (const text of [secret, once, JSON.stringify({ once }), encodeURIComponent(secret)])
      expect(redaction.text(`a ${text} b`)).not.toMatch(/51Hqk/);
    expect(JSON.parse(redaction.text(once))).toEqual({ key: tombstone });
  });

  it("erases a run of base64 with a text in it, wherever it begins", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (before, after) => {
        const bytes = Buffer.concat([before, Buffer.from(secret), after]);
        for (const encoding of ["base64", "base64url"] as const)
          expect(redactionOf(secret).text(`data:image/png;base64,${bytes.toString(encoding)}"`)).toBe(
            `data:image/png;base64,${tombstone}"`,
          );
      }),
    );
  });

  it("leaves other base64 as it is", () => {
    const image = Buffer.alloc(3_000, "nothing of interest").toString("base64");
    expect(redactionOf(secret).text(image)).toBe(image);
  });

  it("erases bytes that are no text as a whole, and the text in others", () => {
    const redaction = redactionOf("alice@example.org");
    const picture = Buffer.concat([Buffer.from([137, 80, 255]), Buffer.from("by alice@example.org")]);
    expect(Buffer.from(redaction.bytes(picture)).toString()).toBe(tombstone);
    const text = Buffer.from("Grüße, alice@example.org");
    expect(Buffer.from(redaction.bytes(text)).toString()).toBe(`Grüße, ${tombstone}`);
    const other = Buffer.from([137, 80, 255]);
    expect(redaction.bytes(other)).toBe(other);
  });

  it("erases what a preview has left of a text where it was cut", () => {
    const key = "sk-live-4f9a8b7c6d5e";
    const redaction = redactionOf(key, true);
    for (const cut of [10, 14, 19]) {
      expect(redaction.text(`the key is ${key.slice(0, cut)}… and more`)).toBe(
        `the key is ${tombstone}… and more`,
      );
      expect(redaction.text(`...${key.slice(-cut)} is the key`)).toBe(`...${tombstone} is the key`);
    }
    expect(redaction.text("sk-live-4f9a8b7c is another key")).toBe("sk-live-4f9a8b7c is another key");
  });

  it("erases the lines of a text of several where they stand alone", () => {
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcwggSj\n-----END KEY-----";
    const redaction = redactionOf(key);
    expect(redaction.text(`> MIIEvQIBADANBgkqhkiG`)).toBe(`> ${tombstone}`);
    expect(redaction.text("-----BEGIN KEY-----")).toBe("-----BEGIN KEY-----");
    expect(redaction.text(JSON.stringify(key))).toBe(JSON.stringify(tombstone));
  });

  it("erases what an expression matches, however often it is asked", () => {
    const redaction = redactionOf(/\b\d{3}-\d{2}-\d{4}\b/);
    for (let time = 0; time < 3; time++)
      expect(redaction.text("123-45-6789 and 987-65-4321")).toBe(`${tombstone} and ${tombstone}`);
  });

  it("changes nothing that does not match", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        fc.pre(!text.includes("@"));
        expect(redactionOf("alice@example.org", true).text(text)).toBe(text);
      }),
    );
  });
});

describe("erase refuses", () => {
  it.each([
    [{ reason: "asked" }, "erase is given no thread, scope or match"],
    [{ thread: "t", scope: "s", reason: "asked" }, "erase is given thread and scope. Pass one of them."],
    [{ match: "abc", reason: "asked" }, "match has 3 characters. Pass a text of at least 4"],
    [{ match: /x*/, reason: "asked" }, "match is /x*/, which also matches no text"],
    [{ match: "asked for", reason: "asked for by Alice" }, "match would erase its own tombstone"],
    [{ match: /\d{4}/, reason: "asked" }, "match would erase its own tombstone"],
    [{ match: "alice", reason: "" }, 'reason is "". Pass one line'],
    [{ match: "alice", reason: "two\nlines" }, "reason is"],
    [{ match: "alice", reason: 'a "quoted" word' }, "reason is"],
    [{ match: "alice" }, "reason is undefined"],
    [{ match: "alice", reason: "asked", threads: ["a"] }, "threads is not an option"],
  ])("%j", (options, message) => {
    expect(() => checkErase(options as never, new Date("2026-11-27"))).toThrow(message);
  });
});
