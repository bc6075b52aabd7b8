import { encodeScope } from "@palimpsest/vfs/internal";
import type { VirtualFilesystem } from "@palimpsest/vfs";

/** Deletes the archive of a thread. */
export async function deleteArchive({ driver }: VirtualFilesystem, threadId: string): Promise<void> {
  for (const path of await pathsOf({ driver }, threadId)) await driver.delete(path);
}

/** Copies the archive of a thread to another thread. Entries that the other has stay. */
export async function copyArchive({ driver }: VirtualFilesystem, from: string, to: string): Promise<void> {
  for (const path of await pathsOf({ driver }, from)) {
    const bytes = await driver.read(path);
    const target = directoryOf(to) + path.slice(directoryOf(from).length);
    if (bytes) await driver.write(target, bytes, { ifAbsent: true });
  }
}

/** Lists everything before the first change: a driver need not support changes during a listing. */
async function pathsOf({ driver }: Pick<VirtualFilesystem, "driver">, threadId: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of driver.list(directoryOf(threadId))) paths.push(path);
  return paths;
}

function directoryOf(threadId: string): string {
  return `/threads/${encodeScope(threadId)}`;
}
