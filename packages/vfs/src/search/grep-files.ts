import type { GrepOptions, GrepResult } from "../backend.js";
import type { FileDriver } from "../drivers/file-driver.js";
import type { NormalPath } from "../paths.js";
import { listFiles } from "../reading/find-files.js";
import { isTextMimeType, mimeType } from "../reading/mime-type.js";
import { matchCollector } from "./collect-matches.js";
import { globNameFilter } from "./glob.js";
import { grepFile } from "./grep-file.js";
import { lineMatcher } from "./line-matcher.js";

export interface GrepFilesOptions extends GrepOptions {
  readonly path: NormalPath;
  readonly glob?: string | null | undefined;
  readonly maxCount?: number | null | undefined;
}

const defaults = { before: 0, after: 0, maxLineLength: 1000 } as const;

/** Returns the lines below a path that match a pattern. Throws a FileError "invalid-pattern" or "not-found". */
export async function grepFiles(
  driver: FileDriver,
  pattern: string,
  options: GrepFilesOptions,
): Promise<GrepResult> {
  const { path: base, glob, maxCount, before, after, maxLineLength } = { ...defaults, ...options };
  const wanted = glob ? globNameFilter(glob, base) : () => true;
  const how = {
    matcher: lineMatcher(pattern, options),
    before,
    after,
    maxLineLength: Math.max(1, maxLineLength),
  };
  const collector = matchCollector(maxCount, options);
  for await (const entry of listFiles(driver, base)) {
    if (!wanted(entry.path) || !isTextMimeType(mimeType(entry.path))) continue;
    for await (const match of grepFile(driver, entry, how)) {
      if (!collector.add(match)) return collector.result();
    }
  }
  return collector.result();
}
