import { DriverBackend, FileError, normalizePath, type Backend, type FileDriver } from "@palimpsest/vfs";
import { memoryMount } from "../tools/file-tool.js";
import { directoryOf, memoryOf, type ScopeFiles } from "./scope-files.js";

/**
 * Returns the turns of the threads in a scope as a read-only tree: `/<name of the thread>/turns/<turn>.md`. Membership is checked
 * at each access, so a thread that is deleted or belongs to another scope cannot be read.
 */
export function scopeBackend(files: ScopeFiles, driver: FileDriver, scope: string): Backend {
  const places = async (): Promise<readonly Place[]> => {
    const { threads } = await files.members(scope);
    return threads.map(placeOf).toSorted((a, b) => (a.shown < b.shown ? -1 : 1));
  };
  const inside = async (path: string): Promise<string | undefined> => {
    const normal = normalizePath(path);
    const threadId = await files.member(scope, normal.split("/")[1] ?? "");
    const place = threadId === undefined ? undefined : placeOf(threadId);
    return place && normal.startsWith(place.shown)
      ? place.stored + normal.slice(place.shown.length)
      : undefined;
  };
  const members: FileDriver = {
    name: driver.name,
    async stat(path) {
      const stored = await inside(path);
      const entry = stored === undefined ? undefined : await driver.stat(stored);
      return entry && { ...entry, path: normalizePath(path) };
    },
    async read(path, range) {
      const stored = await inside(path);
      return stored === undefined ? undefined : driver.read(stored, range);
    },
    async *list(prefix) {
      const below = `${normalizePath(prefix)}/`.replace("//", "/");
      for (const place of await places()) {
        const isAround = place.shown.startsWith(below);
        if (!isAround && !below.startsWith(place.shown)) continue;
        const stored = isAround ? place.stored : place.stored + below.slice(place.shown.length);
        for await (const entry of driver.list(stored))
          yield { ...entry, path: place.shown + entry.path.slice(place.stored.length) };
      }
    },
    write: refuse,
    delete: refuse,
  };
  return new DriverBackend(members, {
    readOnly: `${memoryMount} holds what was said in other threads. Write to another path.`,
  });
}

interface Place {
  /** The directory of a thread's turns in the tree, with a slash at its end. */
  readonly shown: string;
  /** The same in the driver. */
  readonly stored: string;
}

function placeOf(threadId: string): Place {
  return { shown: `/${directoryOf(threadId)}/turns/`, stored: `${memoryOf(threadId)}/turns/` };
}

async function refuse(): Promise<never> {
  throw new FileError("read-only", `Nothing below ${memoryMount} can be changed.`);
}
