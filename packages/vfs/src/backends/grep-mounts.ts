import type { GrepOptions, GrepResult } from "../backend.js";
import { globNameFilter } from "../search/glob.js";
import { matchCollector } from "../search/collect-matches.js";
import type { MatchCollector } from "../search/collect-matches.js";
import type { GrepFilesOptions } from "../search/grep-files.js";
import { lineMatcher } from "../search/line-matcher.js";
import { Pace } from "../search/pace.js";
import type { PartOptions } from "../search/pace.js";
import { mountError, outerPath } from "./mount-table.js";
import type { Mount, MountTable } from "./mount-table.js";
import { isBackend } from "./mountable-backend.js";
import { isAbsence, partOptions, searchParts, shownPath } from "./search-mounts.js";
import type { SearchPart } from "./search-mounts.js";

/**
 * Returns the matching lines of the whole tree. When a mount does not support the options, the result is an error if it is
 * the only mount, and a note otherwise.
 */
export async function grepMounts(
  table: MountTable,
  pattern: string,
  options: GrepFilesOptions,
): Promise<GrepResult> {
  const { path: base, glob, maxCount, pace = new Pace(options), ...rest } = options;
  const how = { ...rest, pace };
  await lineMatcher(pattern, how);
  const wanted = glob ? await globNameFilter(glob, base) : () => true;
  const parts = searchParts(table, base);
  const collector = matchCollector(maxCount, how);
  let isCut = false;
  const notes: string[] = [];
  for (const part of parts) {
    if (pace.isSpent) {
      isCut = true;
      notes.push(pace.endNote(shownPath(part, how)));
      break;
    }
    if (!isBackend(part.mount.backend) && asksMore(how)) {
      const cannot = `${outerPath(part.mount, "/")} supports plain text searches only, without context lines.`;
      if (parts.length === 1) return { error: `${cannot} Search it again without options.` };
      notes.push(`${cannot} The search left it out.`);
      continue;
    }
    const result = await grepPart(part, pattern, { glob, how, maxCount });
    if (result.error !== undefined) {
      if (part.primary && parts.length > 1 && isAbsence(result.error)) continue;
      return { error: mountError(result.error, part.inner, outerPath(part.mount, part.inner)) };
    }
    if (result.note !== undefined) notes.push(result.note);
    const isShown = remembered((path) => table.owns(part.mount, path) && wanted(path));
    const goesOn = await collect(place(part.mount, result), { collector, isShown, pace });
    isCut ||= result.truncated === true;
    if ((result.truncated === true && pace.isSpent) || (how.spread !== true && (isCut || !goesOn))) break;
  }
  const cut = isCut ? { truncated: true } : {};
  return { ...collector.result(), ...cut, ...(notes.length > 0 ? { note: notes.join(" ") } : {}) };
}

interface CollectOptions {
  readonly collector: MatchCollector;
  readonly isShown: (path: string) => boolean;
  readonly pace: Pace;
}

/** Adds the matches and counts of one mount. Returns false when the collector needs no more. */
async function collect(
  { matches = [], counts = [] }: GrepResult,
  { collector, isShown, pace }: CollectOptions,
): Promise<boolean> {
  for (const match of matches) {
    if (pace.isDue) await pace.pause();
    if (isShown(match.path) && !collector.add(match)) return false;
  }
  for (const counted of counts) if (isShown(counted.path)) collector.count(counted);
  return true;
}

/** Caches the last result, because the matches of one file come together. */
function remembered(test: (path: string) => boolean): (path: string) => boolean {
  let last: { readonly path: string; readonly answer: boolean } | undefined;
  return (path) => {
    if (last?.path !== path) last = { path, answer: test(path) };
    return last.answer;
  };
}

function asksMore({ regex, ignoreCase, before, after }: GrepOptions): boolean {
  return regex === true || ignoreCase === true || (before ?? 0) > 0 || (after ?? 0) > 0;
}

interface GrepPartOptions {
  readonly glob: string | null | undefined;
  readonly how: GrepOptions & PartOptions;
  readonly maxCount: number | null | undefined;
}

/** A glob with a slash matches full paths, which the mount does not know: then search all its files and filter the result. */
async function grepPart(
  part: SearchPart,
  pattern: string,
  { glob, how, maxCount }: GrepPartOptions,
): Promise<GrepResult> {
  const filtersAfter = glob?.includes("/") === true;
  // Ask for one more than wanted, to see whether there are more.
  const limit = filtersAfter || !Number.isFinite(maxCount ?? Infinity) ? null : (maxCount ?? 0) + 1;
  const { backend } = part.mount;
  const named = filtersAfter || !glob ? null : glob;
  return isBackend(backend)
    ? backend.grep(pattern, part.inner, named, limit, partOptions(part.mount, how))
    : backend.grep(pattern, part.inner, named, limit);
}

function place(mount: Mount, result: GrepResult): GrepResult {
  const outer = <Located extends { path: string }>(one: Located) => ({
    ...one,
    path: outerPath(mount, one.path),
  });
  const { matches = [], counts = [] } = result;
  return { ...result, matches: matches.map(outer), counts: counts.map(outer) };
}
