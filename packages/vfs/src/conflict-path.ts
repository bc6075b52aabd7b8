import { hashText } from "./hash-text.js";

const maxNameBytes = 255;
const maxPathBytes = 1024;

/**
 * Returns where a version is kept when another stands at its path: `/report.conflict-1a2b3c4d.md`. Pure.
 * Where that would be too long for a path, the name is a hash, at the root.
 */
export function conflictPath(path: string, version: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const directory = path.slice(0, path.length - name.length);
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const mark = `conflict-${hashText(version, 8)}`;
  const kept = `${stem}.${mark}${extension}`;
  const fits = Buffer.byteLength(kept) <= maxNameBytes && Buffer.byteLength(directory + kept) <= maxPathBytes;
  return fits ? directory + kept : `/${hashText(path, 16)}.${mark}`;
}
