import { FileError } from "../errors.js";
import { normalizeRoot } from "../paths.js";
import { escapeRegex } from "../search/regex.js";
import type { MountableBackend } from "./mountable-backend.js";

export interface Mount {
  /** Normal path without a slash at its end; "/" for the default. */
  readonly prefix: string;
  readonly backend: MountableBackend;
}

export interface Route {
  readonly mount: Mount;
  /** The path as the mounted backend knows it. */
  readonly inner: string;
}

/** Routes a path to the mount with the longest matching prefix. `/a` does not match `/ab`. */
export class MountTable {
  readonly #mounts: readonly Mount[];

  /** Throws a FileError "invalid-path" for a mount at `/`, for two mounts at one path, and for the names `.` and `..`. */
  constructor(fallback: MountableBackend, mounts: Readonly<Record<string, MountableBackend>>) {
    const named = Object.entries(mounts).map(([path, backend]) => ({ prefix: normalizeRoot(path), backend }));
    const prefixes = new Set(["/"]);
    for (const { prefix } of named) {
      if (prefixes.has(prefix)) {
        throw new FileError("invalid-path", `${prefix} is already mounted. Give each mount its own path.`);
      }
      prefixes.add(prefix);
    }
    this.#mounts = [...named, { prefix: "/", backend: fallback }].sort(
      (a, b) => b.prefix.length - a.prefix.length,
    );
  }

  /** Returns the mount of a path, and the path inside it. */
  route(path: string): Route {
    const mount = this.#mounts.find(({ prefix }) => path === prefix || isBelow(path, prefix));
    if (!mount) throw new FileError("invalid-path", `${path} is not an absolute path. Begin it with /.`);
    return { mount, inner: mount.prefix === "/" ? path : path.slice(mount.prefix.length) || "/" };
  }

  /** Returns the mounts strictly below a path. */
  below(path: string): readonly Mount[] {
    return this.#mounts.filter(({ prefix }) => isBelow(prefix, path));
  }

  /** Returns true when a path belongs to a mount and no deeper mount hides it. The path of a directory may end in a slash. */
  owns(mount: Mount, path: string): boolean {
    return this.route(path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).mount === mount;
  }
}

/** Returns the path in the whole tree for a path inside a mount. Pure. */
export function outerPath({ prefix }: Mount, inner: string): string {
  if (prefix === "/") return inner;
  return inner === "/" ? prefix : prefix + inner;
}

function isBelow(path: string, directory: string): boolean {
  return path !== directory && path.startsWith(directory === "/" ? "/" : `${directory}/`);
}

/** Returns a mount's error text with the inner path replaced by the outer one, or prefixed with it when the text names neither. Pure. */
export function mountError(error: string, inner: string, outer: string): string {
  if (inner === outer) return error;
  const named = new RegExp(`(?<=^|[\\s'"\`(])${escapeRegex(inner)}(?=[.!?]?(?:$|[\\s'"\`),:;]))`, "g");
  const replaced = error.replace(named, () => outer);
  return replaced !== error || error.includes(outer) ? replaced : `${outer}: ${error}`;
}
