import type { Backend } from "@palimpsest/vfs";
import type { ReadResult } from "@palimpsest/vfs/internal";
import { defaults } from "@palimpsest/context";
import {
  clipText,
  isDataUrl,
  estimateTextTokens,
  fileBlock,
  mediaTokens,
  once,
  toBase64,
} from "@palimpsest/context/internal";
import { z } from "zod";
import { fileTool, type FileToolResult, type FileToolsOptions } from "./file-tool.js";
import { fittingCharacters, roomOf, type ResultRoom } from "./result-room.js";

const defaultLines = 200;
const schema = once(() => {
  const count = z.number().int().min(0);
  return z.object({
    path: z.string().describe("Absolute path of the file."),
    offset: count.optional().describe("First line, counted from 0."),
    limit: count.min(1).optional().describe(`Number of lines; ${defaultLines} if absent.`),
    byte_offset: count.optional().describe("First byte: use it instead of lines where lines are very long."),
    byte_limit: count.min(1).optional().describe("Number of bytes."),
  });
});

/** Returns the `read_file` tool: a page of lines or bytes under a header that says which part of the file it is. */
export function readFileTool(options: FileToolsOptions) {
  const room = roomOf(options);
  return fileTool(
    {
      name: "read_file",
      description:
        "Reads a file, by lines or by bytes. Also reads what was archived of your context below /context/.",
      schema: schema(),
      async run({ path, offset = 0, limit = defaultLines, ...bytes }, { backend }) {
        if (isDataUrl(path)) return readDataUrl(backend, path, options.contextWindow);
        const { byte_offset: byteOffset, byte_limit: byteLimit = room.characters } = bytes;
        if (byteOffset !== undefined || bytes.byte_limit !== undefined) {
          const start = byteOffset ?? 0;
          const end = start + Math.floor(Math.min(byteLimit, room.characters));
          return readBytes(backend, { path, room, start, end });
        }
        return readLines(backend, path, { offset, limit, room, contextWindow: options.contextWindow });
      },
    },
    options,
  );
}

/** Returns a file that was cut out of a message as what it was: an image as an image, a PDF as a PDF. */
async function readDataUrl(
  backend: Backend,
  path: string,
  contextWindow: number | undefined,
): Promise<FileToolResult> {
  const { error, content } = await backend.read(path, 0, 1);
  if (error !== undefined) return `Error: ${error}`;
  if (typeof content !== "string") return `Error: ${path} is not the data URL of a file.`;
  return shownFile(path, content, contextWindow);
}

/** Types of files that the large providers read. */
const shown = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/;

/** Returns a file of a data URL as a block, or how large it is. */
function shownFile(path: string, url: string, contextWindow = Infinity): FileToolResult {
  const block = fileBlock(url);
  if (block === undefined) return `Error: ${path} is not the data URL of a file.`;
  const tokens = mediaTokens(block, estimateTextTokens);
  const room = Math.floor(defaults.batchFraction * contextWindow);
  if (tokens <= room) return [{ type: "text", text: `[${path}]` }, block];
  return `${path} has about ${tokens} tokens. One result of this agent may have ${room}: its user has to give it in parts.`;
}

interface Lines {
  readonly offset: number;
  readonly limit: number;
  readonly room: ResultRoom;
  readonly contextWindow: number | undefined;
}

/** Returns an image or a PDF as a block, and the type of another file. */
function shownBinary(
  path: string,
  { content, mimeType = "unknown type" }: ReadResult,
  contextWindow: number | undefined,
): FileToolResult {
  if (!(content instanceof Uint8Array) || !shown.test(mimeType))
    return `${path} is a binary file (${mimeType}).`;
  return shownFile(path, `data:${mimeType};base64,${toBase64(content)}`, contextWindow);
}

async function readLines(backend: Backend, path: string, page: Lines): Promise<FileToolResult> {
  const read = await backend.read(path, page.offset, page.limit);
  const { error, content, totalLines, startLine, endLine, note } = read;
  if (error !== undefined) return `Error: ${error}`;
  if (typeof content !== "string") return shownBinary(path, read, page.contextWindow);
  if (content === "") return `${path} is empty${totalLines ? ` from line ${page.offset} on` : ""}.`;
  const said = note === undefined ? "" : `\n[${note}]`;
  const first = startLine ?? page.offset + 1;
  const total = totalLines === undefined ? "" : ` of ${totalLines}`;
  const characters = fittingCharacters(content, page.room);
  if (characters === content.length) {
    return `[${path} lines ${first}-${endLine ?? first}${total}]${said}\n${content}`;
  }
  return clipped({ path, content, first, total: `${total}${said}`, characters });
}

interface Clip {
  readonly path: string;
  readonly content: string;
  readonly first: number;
  readonly total: string;
  readonly characters: number;
}

/** Returns the whole lines that fit; a first line that does not fit is cut, and its rest can be read by bytes. */
function clipped({ path, content, first, total, characters }: Clip): string {
  const cut = content.lastIndexOf("\n", characters);
  if (cut <= 0) {
    return (
      `[${path} line ${first}${total}, its first ${characters} characters: read on with byte_offset]\n` +
      clipText(content, characters)
    );
  }
  const shown = content.slice(0, cut);
  const last = first + shown.split("\n").length - 1;
  return `[${path} lines ${first}-${last}${total}: read on with offset ${last}]\n${shown}`;
}

interface Bytes {
  readonly path: string;
  readonly room: ResultRoom;
  readonly start: number;
  readonly end: number;
}

/** Returns a page of bytes; a shorter one if its text is too dense for the limit. */
async function readBytes(backend: Backend, asked: Bytes): Promise<string> {
  const { path, room } = asked;
  const { error, content = "", range, size } = await backend.readBytes(path, asked);
  if (error !== undefined) return `Error: ${error}`;
  const { start, end } = range ?? asked;
  const fitting = fittingCharacters(content, room);
  const bytes = Math.floor((asked.end - asked.start) * (fitting / content.length));
  if (fitting < content.length && bytes > 0)
    return readBytes(backend, { ...asked, end: asked.start + bytes });
  return `[${path} bytes ${start}-${end} of ${size ?? "?"}]\n${content}`;
}
