import { HumanMessage } from "@langchain/core/messages";
import { zlibSync } from "fflate";
import { describe, expect, it } from "vitest";
import { toBase64 } from "../messages/base64.js";
import { bytesOf, mediaOf } from "../messages/media.js";
import { estimateTokens } from "./estimate-tokens.js";
import { imageTokens, pageTokens } from "./media-tokens.js";
import { pdfPages } from "./pdf-pages.js";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const base64Of = (text: string): string => btoa(text);
const tokensOf = (block: Record<string, unknown>): number =>
  estimateTokens([new HumanMessage({ content: [block as never] })]) - 4;

/** A PDF of some pages; a newer one packs them into a compressed stream of objects. */
function pdf(pages: number, { isPacked = false, padding = 0 } = {}): string {
  const objects = "<< /Type /Page /Parent 1 0 R >>\n".repeat(pages);
  const stream = zlibSync(latin1(objects));
  const body = isPacked
    ? `5 0 obj\n<< /Type /ObjStm /N ${pages} /Length ${stream.length} >>\nstream\n${String.fromCharCode(...stream)}\nendstream\n`
    : objects;
  return base64Of(`%PDF-1.7\n<< /Type /Pages /Count ${pages} >>\n${body}${" ".repeat(padding)}%%EOF`);
}

function wav(seconds: number, byteRate: number): string {
  const bytes = new Uint8Array(44 + seconds * byteRate);
  bytes.set(latin1("RIFF....WAVEfmt "));
  new DataView(bytes.buffer).setUint32(28, byteRate, true);
  return toBase64(bytes);
}

function mp4(seconds: number, version: 0 | 1): string {
  const bytes = new Uint8Array(200_000);
  bytes.set(latin1("....ftypisom"));
  bytes.set(latin1("mvhd"), 100_000);
  bytes[100_004] = version;
  const view = new DataView(bytes.buffer);
  view.setUint32(100_000 + (version === 1 ? 24 : 16), 1_000);
  view.setUint32(100_000 + (version === 1 ? 32 : 20), seconds * 1_000);
  return toBase64(bytes);
}

describe("the tokens of a file", () => {
  it.each([false, true])(
    "of PDF are those of its pages, whatever its bytes (pages packed: %s)",
    (isPacked) => {
      for (const padding of [0, 3_000_000]) {
        const data = pdf(12, { isPacked, padding });
        expect(tokensOf({ type: "file", mimeType: "application/pdf", data })).toBe(12 * pageTokens);
      }
    },
  );

  it("are the same in the form of each provider", () => {
    const data = pdf(3);
    const url = `data:application/pdf;base64,${data}`;
    const forms = [
      { type: "file", mimeType: "application/pdf", data },
      { type: "file", source_type: "base64", mime_type: "application/pdf", data },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data } },
      { type: "file", file: { filename: "a.pdf", file_data: url } },
      { type: "input_file", filename: "a.pdf", file_data: url },
      { type: "media", mimeType: "application/pdf", data },
    ];
    expect(forms.map(tokensOf)).toEqual(forms.map(() => 3 * pageTokens));
  });

  it("grow with the bytes where the pages of a PDF are hidden", () => {
    expect(pdfPages(base64Of(`%PDF-1.7 ${"x".repeat(3_000_000)}`))).toBe(61);
    expect(pdfPages("not base64!")).toBe(1);
  });

  it("of sound and video are those of their seconds", () => {
    expect(tokensOf({ type: "audio", mimeType: "audio/wav", data: wav(60, 32_000) })).toBeCloseTo(
      60 * 32,
      -1,
    );
    const format = { data: wav(60, 32_000), format: "wav" };
    expect(tokensOf({ type: "input_audio", input_audio: format })).toBeCloseTo(60 * 32, -1);
    expect(tokensOf({ type: "video", mimeType: "video/mp4", data: mp4(60, 0) })).toBe(60 * 300);
    expect(tokensOf({ type: "video", mimeType: "video/mp4", data: mp4(60, 1) })).toBe(60 * 300);
    const unknown = tokensOf({ type: "audio", mimeType: "audio/ogg", data: "A".repeat(4_000_000) });
    expect(unknown).toBe((3_000_000 / 4_000) * 32);
  });

  it("of text are those of its text, and of any other kind at most one for four bytes", () => {
    const rows = "one, two, three\n".repeat(10_000);
    const text = estimateTokens([new HumanMessage(rows)]) - 4;
    expect(tokensOf({ type: "file", mimeType: "text/csv", data: base64Of(rows) })).toBe(text);
    expect(tokensOf({ type: "file", mimeType: "application/zip", data: "A".repeat(400_000) })).toBe(75_000);
  });

  it("of an image, and of a file behind an address, are one price", () => {
    const one = [
      { type: "image", mimeType: "image/png", data: "A".repeat(4_000_000) },
      { type: "image_url", image_url: { url: "https://example.org/a.png" } },
      { type: "file", mimeType: "application/pdf", url: "https://example.org/a.pdf" },
      { type: "file", file: { file_id: "file-1" } },
    ];
    expect(one.map(tokensOf)).toEqual(one.map(() => imageTokens));
  });
});

it("a block says its type, its name and its bytes, and a broken one nothing", () => {
  expect(
    mediaOf({ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,QUJD" } }),
  ).toEqual({
    mimeType: "application/pdf",
    name: "a.pdf",
    base64: "QUJD",
  });
  expect(mediaOf({ type: "document", source: null, file: 7 })).toEqual({ mimeType: "application/" });
  expect(["", "QQ==", "QUI=", "QUJD"].map(bytesOf)).toEqual([0, 1, 2, 3]);
});
