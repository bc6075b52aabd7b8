import type { FileInfo, LsResult } from "./backend.js";
import { comparePaths } from "./compare-paths.js";
import { directoryPrefix } from "./directory-prefix.js";
import { mountError } from "./mount-error.js";
import { outerPath } from "./mount-table.js";
import type { MountTable } from "./mount-table.js";
import { normalizePath } from "./normalize-path.js";
import { isAbsence } from "./search-mounts.js";

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
