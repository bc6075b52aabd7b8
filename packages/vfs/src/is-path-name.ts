import { normalizePath } from "./normalize-path.js";
import { isTemporaryName } from "./temporary-name.js";

/** Most names: nothing in them that a path could not hold. */
const plain = /^\w[\w.-]{0,254}$/;

/** Whether a name on disk can stand in a path, and is no file that is still being written. Pure. */
export function isPathName(name: string): boolean {
  if (plain.test(name)) return true;
  if (isTemporaryName(name)) return false;
  try {
    return normalizePath(`/${name}`) === `/${name}`;
  } catch {
    return false;
  }
}
