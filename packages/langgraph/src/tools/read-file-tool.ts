import type { Backend } from "@palimpsest/vfs";
import { clipText, once } from "@palimpsest/context/internal";
import { z } from "zod";
import { fileTool, resultCharactersOf, type FileToolsOptions } from "./file-tool.js";

const schema = once(() => {
  const count = z.number().int().min(0);
  return z.object({
    path: z.string().describe("Absolute path of the file."),
    offset: count.default(0).describe("First line, counted from 0."),
    limit: count.min(1).default(200).describe("Number of lines."),
    byte_offset: count.optional().describe("First byte: use it instead of lines where lines are very long."),
    byte_limit: count.min(1).optional().describe("Number of bytes."),
  });
});

/** Returns the `read_file` tool: a page of lines or of bytes under a header that says which part it is. */
export function readFileTool(options: FileToolsOptions) {
  const resultCharacters = resultCharactersOf(options);
  return fileTool(
    {
      name: "read_file",
      description:
        "Reads a file, by lines or by bytes. Also reads what was archived of your context below /context/.",
      schema: schema(),
      async run({ path, offset, limit, byte_offset: byteOffset, byte_limit: byteLimit }, { backend }) {
        if (byteOffset !== undefined || byteLimit !== undefined) {
          const start = byteOffset ?? 0;
          const bytes = Math.min(byteLimit ?? resultCharacters, resultCharacters);
          return readBytes(backend, path, { start, end: start + bytes });
        }
        return readLines(backend, path, { offset, limit, resultCharacters });
      },
    },
    options,
  );
}

interface Lines {
  readonly offset: number;
  readonly limit: number;
  readonly resultCharacters: number;
}

async function readLines(backend: Backend, path: string, page: Lines): Promise<string> {
  const { error, content, totalLines, startLine, endLine, mimeType, note } = await backend.read(
    path,
    page.offset,
    page.limit,
  );
  if (error !== undefined) return `Error: ${error}`;
  if (typeof content !== "string") return `${path} is a binary file (${mimeType ?? "unknown type"}).`;
  if (content === "") return `${path} is empty${totalLines ? ` from line ${page.offset} on` : ""}.`;
  const said = note === undefined ? "" : `\n[${note}]`;
  const first = startLine ?? page.offset + 1;
  const total = totalLines === undefined ? "" : ` of ${totalLines}`;
  if (content.length <= page.resultCharacters) {
    return `[${path} lines ${first}-${endLine ?? first}${total}]${said}\n${content}`;
  }
  return clipped({ path, content, first, total: `${total}${said}`, characters: page.resultCharacters });
}

interface Clip {
  readonly path: string;
  readonly content: string;
  readonly first: number;
  readonly total: string;
  readonly characters: number;
}

/** Whole lines while they fit; a first line that does not is clipped, and can be read on by bytes. */
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

async function readBytes(
  backend: Backend,
  path: string,
  range: { readonly start: number; readonly end: number },
): Promise<string> {
  const page = await backend.readBytes(path, range);
  if (page.error !== undefined) return `Error: ${page.error}`;
  const { start, end } = page.range ?? range;
  return `[${path} bytes ${start}-${end} of ${page.size ?? "?"}]\n${page.content ?? ""}`;
}
