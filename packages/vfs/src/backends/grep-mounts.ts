import type { GrepMatch, GrepOptions, GrepResult } from "../backend.js";
import { normalizePath } from "../paths.js";
import { globNameFilter } from "../search/glob.js";
import type { GrepFilesOptions } from "../search/grep-files.js";
import { lineMatcher } from "../search/line-matcher.js";
import { mountError, outerPath } from "./mount-table.js";
import type { Mount, MountTable } from "./mount-table.js";
import { isBackend } from "./mountable-backend.js";
import { isAbsence, searchParts } from "./search-mounts.js";
import type { SearchPart } from "./search-mounts.js";

/** Returns the lines of the whole tree that match. What a mount cannot do is an error, or a note when others were searched. */
export async function grepMounts(
  table: MountTable,
  pattern: string,
  options: GrepFilesOptions,
): Promise<GrepResult> {
  const { path, glob, maxCount, ...how } = options;
  lineMatcher(pattern, how);
  const base = normalizePath(path ?? "/");
  const wanted = glob ? globNameFilter(glob, base) : () => true;
  const parts = searchParts(table, base);
  const collected = new Collected(maxCount ?? Number.POSITIVE_INFINITY);
  const notes: string[] = [];
  for (const part of parts) {
    if (!isBackend(part.mount.backend) && asksMore(how)) {
      const cannot = `${outerPath(part.mount, "/")} can be searched for plain text only, without context lines.`;
      if (parts.length === 1) return { error: `${cannot} Search there again with no options.` };
      notes.push(`${cannot} It was not searched.`);
      continue;
    }
    const result = await grepPart(part, pattern, { glob, how, room: collected.room });
    if (result.error !== undefined) {
      if (part.primary && parts.length > 1 && isAbsence(result.error)) continue;
      return { error: mountError(result.error, part.inner, outerPath(part.mount, part.inner)) };
    }
    collected.add(
      place(part.mount, result),
      (match) => table.owns(part.mount, match.path) && wanted(match.path),
    );
    if (collected.truncated) break;
  }
  return { ...collected.result(), ...(notes.length > 0 ? { note: notes.join(" ") } : {}) };
}

function asksMore({ regex, ignoreCase, before, after }: GrepOptions): boolean {
  return regex === true || ignoreCase === true || (before ?? 0) > 0 || (after ?? 0) > 0;
}

interface GrepPartOptions {
  readonly glob: string | null | undefined;
  readonly how: GrepOptions;
  readonly room: number;
}

/** A glob with a slash speaks of full paths, which the mount does not know: then everything is asked for and sifted after. */
async function grepPart(
  part: SearchPart,
  pattern: string,
  { glob, how, room }: GrepPartOptions,
): Promise<GrepResult> {
  const sifted = glob?.includes("/") === true;
  const limit = sifted || !Number.isFinite(room) ? null : room + 1;
  const { backend } = part.mount;
  const named = sifted || !glob ? null : glob;
  return isBackend(backend)
    ? backend.grep(pattern, part.inner, named, limit, how)
    : backend.grep(pattern, part.inner, named, limit);
}

function place(mount: Mount, result: GrepResult): GrepResult {
  return {
    ...result,
    matches: (result.matches ?? []).map((match) => ({ ...match, path: outerPath(mount, match.path) })),
  };
}

/** Matches up to a limit; context lines do not count. */
class Collected {
  readonly #limit: number;
  readonly #matches: GrepMatch[] = [];
  #count = 0;
  truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get room(): number {
    return Math.max(0, this.#limit - this.#count);
  }

  add({ matches = [], truncated = false }: GrepResult, keep: (match: GrepMatch) => boolean): void {
    this.truncated ||= truncated;
    for (const match of matches.filter(keep)) {
      if (match.context !== true && this.#count++ >= this.#limit) {
        this.truncated = true;
        return;
      }
      this.#matches.push(match);
    }
  }

  result(): GrepResult {
    return this.truncated ? { matches: this.#matches, truncated: true } : { matches: this.#matches };
  }
}
