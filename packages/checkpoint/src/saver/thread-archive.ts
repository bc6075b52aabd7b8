import { encodeScope } from "@palimpsest/vfs/internal";
import type { VirtualFilesystem } from "@palimpsest/vfs";

/** Deletes what a thread has in the archive. */
export async function deleteArchive({ driver }: VirtualFilesystem, threadId: string): Promise<void> {
  for (const path of await pathsOf({ driver }, threadId)) await driver.delete(path);
}

/** Copies what a thread has in the archive to another. What the other has already stays. */
export async function copyArchive({ driver }: VirtualFilesystem, from: string, to: string): Promise<void> {
  for (const path of await pathsOf({ driver }, from)) {
    const bytes = await driver.read(path);
    const target = directoryOf(to) + path.slice(directoryOf(from).length);
    if (bytes) await driver.write(target, bytes, { ifAbsent: true });
  }
}

/** All of them before the first is touched: engines need not list what changes meanwhile. */
async function pathsOf({ driver }: Pick<VirtualFilesystem, "driver">, threadId: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of driver.list(directoryOf(threadId))) paths.push(path);
  return paths;
}

function directoryOf(threadId: string): string {
  return `/threads/${encodeScope(threadId)}`;
}
