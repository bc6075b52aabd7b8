import { VirtualFilesystem, type Files } from "@palimpsest/vfs";
import { UnsteadyDriver, type WriteFate } from "../../live/unsteady-driver.js";
import type { StorageState } from "../world/world.js";

/** What becomes of a write; one that the engine of another system refuses is acknowledged here. */
const fates: Readonly<Record<StorageState, WriteFate>> = { sound: "kept", throws: "throws", refuses: "deaf" };

/** Returns a filesystem whose engine behaves as the world specifies. */
export function palimpsestFiles(state: StorageState = "sound"): VirtualFilesystem {
  return new VirtualFilesystem({ driver: new UnsteadyDriver(() => fates[state]) });
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
