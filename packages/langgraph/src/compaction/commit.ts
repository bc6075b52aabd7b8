import type { Rewrite } from "@palimpsest/context";
import type { ThreadFiles } from "@palimpsest/vfs";

/** Writes that are under way at once. */
const parallel = 16;

/**
 * Resolves when every original that a rewrite needs is in the archive: only then may the rewrite be applied.
 *
 * Rejects with the first failed write. Files already written stay: a file nobody points to is no loss, and the
 * same rewrite tried again finds them there.
 */
export async function commit(rewrite: Rewrite, { archive }: ThreadFiles): Promise<void> {
  const unique = [...new Map(rewrite.writes.map((write) => [write.path, write])).values()];
  for (let at = 0; at < unique.length; at += parallel) {
    const batch = unique.slice(at, at + parallel);
    await Promise.all(batch.map(({ path, content }) => archive.append(path, content)));
  }
}
