import type { GrepOptions, GrepResult } from "../backend.js";
import type { FileDriver } from "../drivers/file-driver.js";
import { isUnreadable } from "../errors.js";
import type { NormalPath } from "../paths.js";
import { listFiles } from "../reading/find-files.js";
import { isTextMimeType, mimeType } from "../reading/mime-type.js";
import { matchCollector } from "./collect-matches.js";
import { globNameFilter } from "./glob.js";
import { grepFile } from "./grep-file.js";
import { lineMatcher } from "./line-matcher.js";
import type { LineMatcher } from "./line-matcher.js";
import { Pace, SearchEnd } from "./pace.js";
import type { PartOptions } from "./pace.js";

export interface GrepFilesOptions extends GrepOptions, PartOptions {
  readonly path: NormalPath;
  readonly glob?: string | null | undefined;
  readonly maxCount?: number | null | undefined;
}

const defaults = { before: 0, after: 0, maxLineLength: 1000 } as const;

/**
 * Returns the lines below a path that match a pattern; those found so far when the time is used up. Throws a FileError
 * "invalid-pattern" or "not-found", and the reason of an aborted signal.
 */
export async function grepFiles(
  driver: FileDriver,
  pattern: string,
  options: GrepFilesOptions,
): Promise<GrepResult> {
  const { path: base, glob, maxCount, before, after, maxLineLength } = { ...defaults, ...options };
  const { pace = new Pace(options), pathOf = (own: string) => own } = options;
  const wanted = glob ? await globNameFilter(glob, base) : () => true;
  const matcher = await lineMatcher(pattern, options);
  const collector = matchCollector(maxCount, options);
  let [at, parted, closed]: (string | undefined)[] = [];
  const onParted = (path: string) => void (parted ??= path);
  const how = { matcher, before, after, maxLineLength: Math.max(1, maxLineLength), pace, onParted };
  const result = (...notes: readonly string[]): GrepResult => {
    const about = parted === undefined ? [] : [aboutParts(pathOf(parted), matcher)];
    const all = [...notes, ...about, ...(closed === undefined ? [] : [closed])];
    return { ...collector.result(), ...(all.length > 0 ? { note: all.join(" ") } : {}) };
  };
  try {
    for await (const entry of pace.over(listFiles(driver, base))) {
      if (!wanted(entry.path) || !isTextMimeType(mimeType(entry.path))) continue;
      at = entry.path;
      try {
        for await (const match of grepFile(driver, entry, how)) if (!collector.add(match)) return result();
      } catch (error) {
        if (!isUnreadable(error) || at === base) throw error;
        closed ??= error.message;
      }
    }
  } catch (error) {
    if (isUnreadable(error) && error.path !== base) return result(error.message);
    if (!(error instanceof SearchEnd)) throw error;
    return { ...result(pace.endNote(pathOf(at ?? base))), truncated: true };
  }
  return result();
}

function aboutParts(path: string, { window }: LineMatcher): string {
  return (
    `${path} has a line of over ${window} characters, which was searched in overlapping parts of that size: a match of ` +
    `over ${Math.floor(window / 2)} characters may be missing. Search for a shorter piece of it.`
  );
}
