import { MemoryDriver, VirtualFilesystem, type Files } from "@palimpsest/vfs";
import type { StorageState } from "../world/world.js";

/** Returns a filesystem whose engine behaves as the world specifies. */
export function palimpsestFiles(state: StorageState = "sound"): VirtualFilesystem {
  return new VirtualFilesystem({ driver: state === "sound" ? new MemoryDriver() : new BrokenDriver(state) });
}

/** Returns path -> text of a thread's archive and workspace. */
export async function readPalimpsestFiles(
  files: VirtualFilesystem,
  thread: string,
  values: Record<string, unknown>,
): Promise<ReadonlyMap<string, string>> {
  const entries = (values["files"] ?? {}) as Files;
  const { archive, backend } = files.thread(thread, entries);
  const found = new Map<string, string>();
  for await (const { path } of archive.list()) found.set(path, await archive.readText(path));
  for (const path of Object.keys(entries)) {
    const { data } = await backend.readRaw(path);
    found.set(path, typeof data?.content === "string" ? data.content : "");
  }
  return found;
}

class BrokenDriver extends MemoryDriver {
  constructor(readonly state: StorageState) {
    super();
  }

  override async write(): Promise<boolean> {
    if (this.state === "throws") throw new Error("ENOSPC: no space left on device");
    return true;
  }
}
