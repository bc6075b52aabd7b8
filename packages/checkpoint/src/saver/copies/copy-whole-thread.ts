import type { VirtualFilesystem } from "@palimpsest/vfs";
import { CheckpointError } from "../../checkpoint-error.js";
import type { FileReferences } from "../../collection/file-references.js";
import type { Engine } from "../../engine.js";
import { checkFree, copyCheckpoints } from "../../collection/copy-checkpoints.js";
import { copyArchive, requireDecrypted } from "../thread-archive.js";

interface ThreadStorage {
  readonly engine: Engine;
  readonly files: VirtualFilesystem;
  readonly references: FileReferences;
}

/** Copies a thread with its history, archive, key and references to files. Continues a copy that did not end. */
export async function copyWholeThread(
  { engine, files, references }: ThreadStorage,
  from: string,
  to: string,
): Promise<void> {
  await requireDecrypted(files, from);
  if (!(await references.isCopying(from, to))) await checkFree(engine, to);
  await references.beginCopy(from, to);
  const copyFiles = async (): Promise<void> => {
    await references.copy(from, to);
    await copyArchive(files, from, to);
  };
  await copyCheckpoints(engine, { from, to }, copyFiles).catch(async (error: unknown) => {
    // No checkpoint was copied.
    if (CheckpointError.isInstance(error) && error.code === "not-found") await references.endCopy(to);
    throw error;
  });
  await references.endCopy(to);
}
