import type { FileInfo, GlobResult, LsResult } from "../backend.js";
import { comparePaths, directoryPrefix, normalizePath } from "../paths.js";
import { globFilter } from "../search/glob.js";
import { mountError, outerPath } from "./mount-table.js";
import type { Mount, MountTable, Route } from "./mount-table.js";

/** Returns what is in a directory of the whole tree: what its backend holds, and the mounts there. */
export async function listMounts(table: MountTable, path: string): Promise<LsResult> {
  const normal = normalizePath(path);
  const { mount, inner } = table.route(normal);
  const result = await mount.backend.ls(inner);
  const mounted = mountDirectories(table, normal);
  if (result.error !== undefined && !(mounted.length > 0 && isAbsence(result.error))) {
    return { error: mountError(result.error, inner, normal) };
  }
  const own = (result.files ?? [])
    .map((info) => ({ ...info, path: outerPath(mount, info.path) }))
    .filter((info) => table.owns(mount, info.path));
  const known = new Set(own.map((info) => info.path));
  const files = [...own, ...mounted.filter((info) => !known.has(info.path))];
  return { files: files.sort((a, b) => comparePaths(a.path, b.path)) };
}

function mountDirectories(table: MountTable, path: string): FileInfo[] {
  const prefix = directoryPrefix(path);
  const names = table.below(path).map((mount) => mount.prefix.slice(prefix.length).split("/")[0] ?? "");
  return [...new Set(names)].map((name) => ({
    path: `${prefix}${name}/`,
    is_dir: true,
    size: 0,
    modified_at: "",
  }));
}

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

/** What one part of the tree is to be searched for. */
export interface SearchPart extends Route {
  /** True for the part that holds the path searched; false for a mount below it. */
  readonly primary: boolean;
}

/** Returns the parts of the tree at and below a normal path: the backend that holds it, and the mounts below. Pure. */
export function searchParts(table: MountTable, path: string): SearchPart[] {
  const below = table.below(path).map((mount: Mount) => ({ mount, inner: "/", primary: false }));
  return [{ ...table.route(path), primary: true }, ...below];
}

/** Returns true for an error that only says a path is empty: above a mount that is no failure. Pure. */
export function isAbsence(error: string): boolean {
  return /does not exist|not found|no such file/i.test(error);
}
