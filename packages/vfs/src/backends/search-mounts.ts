import type { FileInfo, GlobResult, LsResult } from "../backend.js";
import { comparePaths, directoryPrefix } from "../paths.js";
import type { NormalPath } from "../paths.js";
import { globFilter } from "../search/glob.js";
import type { GlobFilesOptions } from "../search/glob.js";
import { Pace } from "../search/pace.js";
import type { PartOptions } from "../search/pace.js";
import { mountError, outerPath } from "./mount-table.js";
import type { Mount, MountTable, Route } from "./mount-table.js";
import { isBackend } from "./mountable-backend.js";

/** Returns the content of a directory of the whole tree: its files, and the mounts in it. */
export async function listMounts(table: MountTable, path: NormalPath): Promise<LsResult> {
  const { mount, inner } = table.route(path);
  const result = await mount.backend.ls(inner);
  const mounted = mountDirectories(table, path);
  if (result.error !== undefined && !(mounted.length > 0 && isAbsence(result.error))) {
    return { error: mountError(result.error, inner, path) };
  }
  const own = (result.files ?? [])
    .map((info) => ({ ...info, path: outerPath(mount, info.path) }))
    .filter((info) => table.owns(mount, info.path));
  const known = new Set(own.map((info) => info.path));
  const files = [...own, ...mounted.filter((info) => !known.has(info.path))];
  return { files: files.sort((a, b) => comparePaths(a.path, b.path)) };
}

function mountDirectories(table: MountTable, path: NormalPath): FileInfo[] {
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
 * Returns the files of the whole tree that match. Lists all files of each mount and matches their full paths: the backend
 * mounted at `/context` cannot match `context/*.md`, whose base is `/`.
 */
export async function globMounts(
  table: MountTable,
  pattern: string,
  options: GlobFilesOptions,
): Promise<GlobResult> {
  const { path: base, pace = new Pace(options), ...rest } = options;
  const matches = await globFilter(pattern, base);
  const parts = searchParts(table, base);
  const files: FileInfo[] = [];
  const notes: string[] = [];
  let truncated = false;
  for (const part of parts) {
    const { mount, inner, primary } = part;
    const how = { ...rest, pace };
    if (pace.isSpent) {
      truncated = true;
      notes.push(pace.endNote(shownPath(part, how)));
      break;
    }
    const { backend } = mount;
    const result = await (isBackend(backend)
      ? backend.glob("**", inner, partOptions(mount, how))
      : backend.glob("**", inner));
    if (result.error !== undefined) {
      if (primary && parts.length > 1 && isAbsence(result.error)) continue;
      return { error: mountError(result.error, inner, outerPath(mount, inner)) };
    }
    truncated ||= result.truncated === true;
    if (result.note !== undefined) notes.push(result.note);
    for (const info of result.files ?? []) {
      if (pace.isDue) await pace.pause();
      const full = outerPath(mount, info.path);
      if (table.owns(mount, full) && matches(full)) files.push({ ...info, path: full });
    }
    if (result.truncated === true && pace.isSpent) break;
  }
  files.sort((a, b) => comparePaths(a.path, b.path));
  const note = notes.length > 0 ? { note: notes.join(" ") } : {};
  return truncated ? { files, truncated, ...note } : { files, ...note };
}

/** One mount that a search has to visit. */
export interface SearchPart extends Route {
  /** True for the mount that holds the base of the search, false for a mount below the base. */
  readonly primary: boolean;
}

/** Returns the mount that holds a path, and the mounts below the path. Pure. */
export function searchParts(table: MountTable, path: NormalPath): SearchPart[] {
  const below = table.below(path).map((mount: Mount) => ({ mount, inner: "/", primary: false }));
  return [{ ...table.route(path), primary: true }, ...below];
}

/** Returns the options of the part of a search that one mount does. Pure. */
export function partOptions<Options extends PartOptions>(mount: Mount, options: Options): Options {
  return { ...options, pathOf: (path: string) => shownPath({ mount, inner: path }, options) };
}

/** Returns the path by which a note names a file of a mount. Pure. */
export function shownPath({ mount, inner }: Route, { pathOf = (path) => path }: PartOptions): string {
  return pathOf(outerPath(mount, inner));
}

/** Returns true for an error that says that a path does not exist, which is no failure above a mount. Pure. */
export function isAbsence(error: string): boolean {
  return /does not exist|not found|no such file/i.test(error);
}
