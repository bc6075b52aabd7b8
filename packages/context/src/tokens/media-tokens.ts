import { bytesOf, mediaOf } from "../messages/media.js";
import type { Block } from "../messages/text.js";
import { pdfPages } from "./pdf-pages.js";

/** Tokens of an image, and of a file whose size is not known: a typical price of the large providers for a screen-sized image. */
export const imageTokens = 1_600;
/** Anthropic: about 7,000 tokens for a PDF of three pages, which it reads as text and as images. Gemini bills less. */
export const pageTokens = 2_400;
/** Gemini bills 32 tokens for a second of audio; OpenAI 10. */
const audioTokens = 32;
/** Gemini bills about 300 tokens for a second of video with its sound. */
const videoTokens = 300;
/** Bytes of a second where the file does not say its length: the lowest bit rates in common use, so that the count is not too small. */
const audioRate = 4_000;
const videoRate = 62_500;
/** Bytes of a token in a file of any other kind, of which a provider reads the text at most. */
const bytesPerToken = 4;

/** Types of files that providers read as text. */
const textual =
  /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|typescript|csv|x-ndjson)|\+(?:json|xml)$/;

/**
 * Returns what the large providers bill at most for a block of an image, audio, video or file: a fixed price for an image, and
 * for others by their pages, seconds or text, or by their bytes where these cannot be read. Pure, never throws.
 */
export function mediaTokens(block: Block, countText: (text: string) => number): number {
  const { mimeType, base64 } = mediaOf(block);
  if (mimeType.startsWith("image/") || base64 === undefined || base64 === "") return imageTokens;
  const bytes = bytesOf(base64);
  if (mimeType === "application/pdf") return pdfPages(base64) * pageTokens;
  if (mimeType.startsWith("audio/")) return Math.ceil(secondsOf(base64, bytes / audioRate) * audioTokens);
  if (mimeType.startsWith("video/")) return Math.ceil(secondsOf(base64, bytes / videoRate) * videoTokens);
  return textual.test(mimeType) ? countText(decoded(base64)) : Math.ceil(bytes / bytesPerToken);
}

/** Returns the length of a WAV file, or of an MP4 file with its index, as it states it; otherwise `most`. */
function secondsOf(base64: string, most: number): number {
  const head = decoded(base64.slice(0, 64));
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WAVE")
    return within(bytesOf(base64) / numberAt(head.slice(28, 32).split("").toReversed().join(""), 0), most);
  if (head.slice(4, 8) !== "ftyp") return most;
  const text = decoded(base64);
  const at = text.indexOf("mvhd");
  if (at < 0) return most;
  const isLong = text.charCodeAt(at + 4) === 1;
  const scale = numberAt(text, at + (isLong ? 24 : 16));
  return within(numberAt(text, at + (isLong ? 32 : 20)) / scale, most);
}

/** A stated length counts when it is one. */
function within(stated: number, most: number): number {
  return Number.isFinite(stated) && stated > 0 ? stated : most;
}

/** Returns four bytes as a number, the highest first. */
function numberAt(text: string, at: number): number {
  return [0, 1, 2, 3].reduce((sum, index) => sum * 256 + text.charCodeAt(at + index), 0);
}

/** Returns the bytes of a base64 text as characters; "" for one that is not base64. */
export function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
