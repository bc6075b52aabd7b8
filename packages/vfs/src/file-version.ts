import type { FileEntry } from "./files.js";
import { hashText } from "./hash-text.js";

const versionLength = 16;
const maxAncestors = 32;

/** Returns the name of the write that made an entry. Pure. */
export function versionOf(entry: FileEntry): string {
  return entry.version ?? entry.digest;
}

/** Returns the versions that somebody who saw an entry has seen, newest first, at most 32. Pure. */
export function lineageOf(entry: FileEntry | undefined): readonly string[] {
  return entry ? [versionOf(entry), ...(entry.ancestors ?? [])].slice(0, maxAncestors) : [];
}

/**
 * Returns the version of content written over what a lineage ends in. Pure.
 * The same write over the same file gets the same version, so a node that runs twice changes nothing more; going back to
 * earlier content gets a new one.
 */
export function nextVersion(digest: string, lineage: readonly string[]): string {
  return hashText(`${digest} ${lineage[0] ?? ""}`, versionLength);
}
