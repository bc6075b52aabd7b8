import { errorCode, FileError } from "../errors.js";

const denied = new Set(["EACCES", "EPERM"]);

/** Returns true for the error of the system when the process lacks a permission. Pure. */
export function isDenied(error: unknown): boolean {
  return denied.has(errorCode(error) ?? "");
}

/** Returns the error of a read, with the path of the file and the way out where the reason is known. Pure. */
export function explainRead(cause: unknown, path: string): unknown {
  if (!isDenied(cause)) return cause;
  const message = `${path} cannot be read: this process has no permission (${errorCode(cause)}). Go on without it, or change the permissions.`;
  return new FileError("unreadable", message, { cause, path });
}

const full = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Returns the error of a write or a deletion, with the path of the file and the way out where the reason is known. Pure. */
export function explainWrite(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (isDenied(error) || code === "EROFS") {
    const reason =
      code === "EROFS" ? "the disk is read-only" : "this process has no permission to write there";
    const message = `${path} was not changed: ${reason} (${code}). Use another path, or change the permissions.`;
    return new FileError("unwritable", message, { cause: error });
  }
  if (full.has(code ?? "")) {
    const message = `${path} was not written: the disk or the quota is full. Free space and try again.`;
    return new FileError("unwritable", message, { cause: error });
  }
  if (code === "ENOTDIR" || code === "EEXIST") {
    return new FileError("not-directory", `${path} lies below a file. Choose a directory for it.`, {
      cause: error,
    });
  }
  if (code === "EISDIR" || code === "ENOTEMPTY") {
    return new FileError("is-directory", `${path} is a directory. Write to a file below it.`, {
      cause: error,
    });
  }
  return error;
}
