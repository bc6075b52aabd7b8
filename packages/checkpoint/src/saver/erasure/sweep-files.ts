import { blobsDirectory, threadsDirectory } from "@palimpsest/vfs/internal";
import type { FileDriver } from "@palimpsest/vfs";
import { RedactedFiles } from "./redact-files.js";
import type { Redaction } from "./redaction.js";

/**
 * Erases in files that belong to no thread: contents without a reference, which are deleted, archives of deleted threads, and the
 * lists of scopes. `known` are the directories of threads. Returns the directories of the archives in which it has erased.
 */
export async function sweepFiles(
  driver: FileDriver,
  redaction: Redaction,
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  const archives = new Set<string>();
  const others: string[] = [];
  for await (const { path } of driver.list("/")) {
    const isOfThread = path.startsWith(`${threadsDirectory}/`);
    const directory = isOfThread ? path.split("/", 3).join("/") : "";
    if (isOfThread && !known.has(directory)) archives.add(directory);
    if (!isOfThread && !path.startsWith("/checkpoints/")) others.push(path);
  }
  for (const path of others) await sweepFile(driver, redaction, path);
  const erased: string[] = [];
  for (const root of archives) if (await sweepArchive(driver, redaction, root)) erased.push(root);
  return erased;
}

async function sweepFile(driver: FileDriver, redaction: Redaction, path: string): Promise<void> {
  const bytes = await driver.read(path);
  const redacted = bytes && redaction.bytes(bytes);
  if (redacted === undefined || redacted === bytes) return;
  if (path.startsWith(`${blobsDirectory}/`)) await driver.delete(path);
  else await driver.write(path, redacted);
}

async function sweepArchive(driver: FileDriver, redaction: Redaction, root: string): Promise<boolean> {
  const files = await RedactedFiles.plan({
    driver,
    root,
    held: new Map(),
    redaction,
    // Nothing unfolds it any more, so that no seal counts.
    record: (text, own) => own.text(text),
  });
  await files.store(async ({ newPath, bytes }) => driver.write(root + newPath, bytes));
  await files.deleteOld();
  return files.count > 0;
}
