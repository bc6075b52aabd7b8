import type { GrepMatch, GrepOptions } from "../backend.js";
import type { DriverEntry, FileDriver } from "../drivers/file-driver.js";
import { readBlocks } from "../reading/lines.js";
import type { LineBlock } from "../reading/lines.js";
import type { LineMatcher } from "./line-matcher.js";
import { matchLine, mayMissPart } from "./match-line.js";
import type { Pace } from "./pace.js";

export interface GrepFileOptions extends Required<Pick<GrepOptions, "before" | "after" | "maxLineLength">> {
  readonly matcher: LineMatcher;
  readonly pace: Pace;
  /** Runs for a line that is too long to find every match in it. */
  readonly onParted: (path: string) => void;
}

interface Cursor {
  /** The last lines without a match, at most `before` of them. */
  recent: string[];
  /** How many more lines to yield as context. */
  owed: number;
}

/** Yields the matches in one file and the context lines around them, in the order of lines. Rests where its pace asks for it. */
export async function* grepFile(
  driver: FileDriver,
  entry: DriverEntry,
  options: GrepFileOptions,
): AsyncIterable<GrepMatch> {
  const cursor: Cursor = { recent: [], owed: 0 };
  const { matcher, pace } = options;
  for await (const block of pace.over(readBlocks(driver, entry))) {
    if (cursor.owed > 0 || block.text.length > matcher.window || matcher.mayMatch(block.text)) {
      for (const match of grepBlock(entry.path, block, { ...options, cursor })) {
        if (match !== undefined) yield match;
        if (pace.isDue) await pace.rest();
      }
    } else if (options.before > 0) {
      cursor.recent = [...cursor.recent, ...block.text.split("\n")].slice(-options.before);
    }
  }
}

/** Yields undefined after every step without a match. All lines of a block that one step can search are one step. */
function* grepBlock(
  path: string,
  block: LineBlock,
  { matcher, before, after, maxLineLength, cursor, onParted }: GrepFileOptions & { cursor: Cursor },
): Iterable<GrepMatch | undefined> {
  const byteAt = byteCounter(block);
  const isOneStep = block.text.length <= matcher.window;
  let offset = 0;
  for (const [index, raw] of block.text.split("\n").entries()) {
    if (isOneStep && cursor.owed <= 0 && !matcher.mayMatch(raw)) {
      if (before > 0) cursor.recent = [...cursor.recent, raw].slice(-before);
      offset += raw.length + 1;
      continue;
    }
    const lineStart = offset;
    const place = { path, line: block.firstLine + index, byteAt: (at: number) => byteAt(lineStart + at) };
    if (mayMissPart(raw, matcher)) onParted(path);
    let matched = false;
    for (const match of matchLine(raw, place, { matcher, maxLineLength })) {
      if (!matched && match !== undefined) yield* recentContext(place, cursor, maxLineLength);
      matched ||= match !== undefined;
      yield match;
    }
    yield undefined;
    if (matched) cursor.owed = after;
    else if (cursor.owed-- > 0) yield context(place, raw, maxLineLength);
    else if (before > 0) cursor.recent = [...cursor.recent, raw].slice(-before);
    offset += raw.length + 1;
  }
}

function* recentContext(
  { path, line }: { path: string; line: number },
  cursor: Cursor,
  maxLength: number,
): Iterable<GrepMatch> {
  const { recent } = cursor;
  cursor.recent = [];
  for (const [index, raw] of recent.entries()) {
    yield context({ path, line: line - recent.length + index }, raw, maxLength);
  }
}

/**
 * Converts a character index of a block into a byte offset of the file. Only long lines need offsets, so it counts on
 * demand, from the last index on: many matches in a line of many megabytes cost one pass.
 */
function byteCounter(block: LineBlock): (character: number) => number {
  let last = 0;
  let bytes = block.start;
  return (character) => {
    const between = block.text.slice(Math.min(last, character), Math.max(last, character));
    bytes += Math.sign(character - last) * Buffer.byteLength(between);
    last = character;
    return bytes;
  };
}

function context({ path, line }: { path: string; line: number }, raw: string, maxLength: number): GrepMatch {
  const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  const cut = text.length - maxLength;
  return {
    path,
    line,
    text: cut > 0 ? `${text.slice(0, maxLength).toWellFormed()} [${cut} characters after …]` : text,
    context: true,
  };
}
