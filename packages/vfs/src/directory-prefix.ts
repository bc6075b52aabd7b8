import { normalizePath } from "./normalize-path.js";

/** Returns the path of a directory with one slash at its end, so that `/a/` never begins `/ab`. Pure. */
export function directoryPrefix(path: string): string {
  const normal = normalizePath(path);
  return normal === "/" ? normal : `${normal}/`;
}
