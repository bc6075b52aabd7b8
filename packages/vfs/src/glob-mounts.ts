import type { FileInfo, GlobResult } from "./backend.js";
import { comparePaths } from "./compare-paths.js";
import { globFilter } from "./glob-filter.js";
import { mountError } from "./mount-error.js";
import { outerPath } from "./mount-table.js";
import type { MountTable } from "./mount-table.js";
import { normalizePath } from "./normalize-path.js";
import { isAbsence, searchParts } from "./search-mounts.js";

/**
 * Returns the files of the whole tree that match. Mounts are asked for all their files and the pattern is put to the full
 * paths: `context/*.md` asked at `/` means nothing to the backend mounted at `/context`.
 */
export async function globMounts(table: MountTable, pattern: string, path: string): Promise<GlobResult> {
  const base = normalizePath(path);
  const matches = globFilter(pattern, base);
  const parts = searchParts(table, base);
  const files: FileInfo[] = [];
  let truncated = false;
  for (const { mount, inner, primary } of parts) {
    const result = await mount.backend.glob("**", inner);
    if (result.error !== undefined) {
      if (primary && parts.length > 1 && isAbsence(result.error)) continue;
      return { error: mountError(result.error, inner, outerPath(mount, inner)) };
    }
    truncated ||= result.truncated === true;
    for (const info of result.files ?? []) {
      const full = outerPath(mount, info.path);
      if (table.owns(mount, full) && matches(full)) files.push({ ...info, path: full });
    }
  }
  files.sort((a, b) => comparePaths(a.path, b.path));
  return truncated ? { files, truncated } : { files };
}
