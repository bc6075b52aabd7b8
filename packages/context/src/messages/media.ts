import type { Block } from "./text.js";

/** What a block of an image, audio, video or file holds. */
export interface Media {
  /** Such as "application/pdf"; only its first half, such as "image/", where the block does not say more. */
  readonly mimeType: string;
  /** Absent for a block that names an address or an id. */
  readonly base64?: string;
  readonly name?: string;
}

/** The objects of a block in which providers keep the bytes, their type and their name. */
const holders = ["source", "file", "input_audio", "image_url", "inlineData", "metadata"] as const;
const dataUrl = /^data:([^;,]*)[^,]*;base64,/;

/** Returns what a block of any provider holds. Pure, never throws. */
export function mediaOf(block: Block): Media {
  const parts = [block, ...holders.map((name) => block[name]).filter(isRecord)];
  const text = (...names: readonly string[]): string | undefined =>
    parts.flatMap((part) => names.map((name) => part[name])).find((value) => typeof value === "string");
  const given = text("data", "file_data", "url", "image_url");
  const url = given === undefined ? null : dataUrl.exec(given.slice(0, 200));
  const isAddress = url === null && given !== undefined && given === text("url", "image_url");
  const base64 = given === undefined || isAddress ? undefined : given.slice(url?.[0].length ?? 0);
  const name = text("filename", "name", "title");
  const mimeType = text("mimeType", "mime_type", "media_type") ?? url?.[1] ?? typeByFormat(text("format"));
  return {
    mimeType: mimeType ?? typeByBlock(String(block["type"])),
    ...(base64 === undefined ? {} : { base64 }),
    ...(name === undefined ? {} : { name }),
  };
}

function typeByFormat(format: string | undefined): string | undefined {
  return format === undefined ? undefined : `audio/${format}`;
}

function typeByBlock(type: string): string {
  return `${/image|audio|video/.exec(type)?.[0] ?? "application"}/`;
}

/** Returns how many bytes a base64 text stands for. */
export function bytesOf(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : Number(base64.endsWith("="));
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

function isRecord(value: unknown): value is Block {
  return typeof value === "object" && value !== null;
}

/** Returns a block of LangChain's standard content for a data URL, which every provider's package converts; undefined for another text. */
export function fileBlock(text: string): (Block & { readonly type: string }) | undefined {
  const url = dataUrl.exec(text.slice(0, 200));
  if (url === null) return undefined;
  const [start, mimeType = ""] = url;
  const type = /^(image|audio|video)\//.exec(mimeType)?.[1] ?? "file";
  return { type, mimeType, data: text.slice(start.length).trim() };
}
