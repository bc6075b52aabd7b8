import { randomUUID } from "node:crypto";
import { mkdirSync, realpathSync, unlinkSync, writeFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { errorCode, FileError } from "../errors.js";
import { normalizePath } from "../paths.js";

/** A directory on disk that paths cannot leave, by `..` or by symbolic link. */
export class DirectoryRoot {
  readonly path: string;

  /**
   * Creates the directory and writes a probe file. Throws a FileError "unwritable" when either fails, and "invalid-path" for
   * an empty path.
   */
  constructor(directory: string) {
    checkPath(directory);
    const wanted = resolve(directory);
    try {
      mkdirSync(wanted, { recursive: true });
      const probe = join(wanted, temporaryName(randomUUID()));
      writeFileSync(probe, "", { flag: "wx" });
      unlinkSync(probe);
      this.path = realpathSync(wanted);
    } catch (cause) {
      throw new FileError(
        "unwritable",
        `The directory ${wanted} cannot be written (${errorCode(cause) ?? String(cause)}). ` +
          "Give a directory that this process may create and write to.",
        { cause },
      );
    }
  }

  /** Returns the location of a normal path on disk, with symbolic links unresolved. */
  locate(path: string): string {
    return join(this.path, ...path.split("/"));
  }

  /** Returns the real path of a location, or undefined when nothing exists there. Throws when it is outside the root. */
  async resolveExisting(location: string, path: string): Promise<string | undefined> {
    const real = await realpath(location).catch((error: unknown) => {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw code === "ELOOP" ? this.#refuse(path) : error;
    });
    if (real !== undefined && !this.contains(real)) throw this.#refuse(path);
    return real;
  }

  /** Resolves when the nearest existing ancestor of a location is inside the root. */
  async checkAncestor(location: string, path: string): Promise<void> {
    let ancestor = dirname(location);
    while (ancestor !== this.path) {
      if ((await this.resolveExisting(ancestor, path)) !== undefined) return;
      ancestor = dirname(ancestor);
    }
  }

  contains(real: string): boolean {
    return real === this.path || real.startsWith(this.path.endsWith(sep) ? this.path : this.path + sep);
  }

  #refuse(path: string): FileError {
    return new FileError(
      "invalid-path",
      `${path} leads out of the root through a symbolic link. Use a path that stays inside.`,
    );
  }
}

/** An empty path would resolve to the working directory, so an unset variable would hand that directory to the agent. */
function checkPath(directory: unknown): void {
  if (typeof directory === "string" && directory.trim() !== "") return;
  throw new FileError(
    "invalid-path",
    `The directory is ${JSON.stringify(directory)}. Give its path, "." for the working directory.`,
  );
}

const start = ".palimpsest-";
const end = ".tmp";

/** Returns the name of a file that is still being written. Pure. */
export function temporaryName(id: string): string {
  return `${start}${id}${end}`;
}

/** Returns true for the name of a file that is being written, or that a killed process left behind. Pure. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(start) && name.endsWith(end);
}

/** Hot path: most names need no further check. */
const plain = /^\w[\w.-]{0,254}$/;

/** Returns true when a path can contain this name from disk and the name is not a temporary one. Pure. */
export function isPathName(name: string): boolean {
  if (plain.test(name)) return true;
  if (isTemporaryName(name)) return false;
  try {
    return normalizePath(`/${name}`) === `/${name}`;
  } catch {
    return false;
  }
}
