import type { FileInfo } from "./backend.js";
import type { DriverEntry } from "./file-driver.js";

/** Returns a stored entry in the shape that backends give. Pure. */
export function fileInfo({ path, size, modifiedAt }: DriverEntry): FileInfo {
  return { path, is_dir: false, size, modified_at: modifiedAt };
}
