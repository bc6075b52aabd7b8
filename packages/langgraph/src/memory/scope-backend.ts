import { DriverBackend, FileError, normalizePath, type Backend, type FileDriver } from "@palimpsest/vfs";
import { memoryMount } from "../tools/tool-memory.js";
import { directoryOf, memoryOf, type ScopeFiles } from "./scope-files.js";
import { turnStart } from "./short-name.js";

/**
 * Returns the turns of the threads in a scope as a read-only tree: `/<name of the thread>/turns/<turn>.md`. The short paths
 * of a search lead to the same files. Membership is checked at each access, so a thread that is deleted or belongs to another scope
 * cannot be read.
 */
export function scopeBackend(files: ScopeFiles, driver: FileDriver, scope: string): Backend {
  const places = async (): Promise<readonly Place[]> => {
    const { threads } = await files.members(scope);
    return threads.map(placeOf).toSorted((a, b) => (a.shown < b.shown ? -1 : 1));
  };
  const inside = async (given: string): Promise<string | undefined> => {
    const { threadId, path } = await resolve(files, scope, given);
    const place = threadId === undefined ? undefined : placeOf(threadId);
    return place && path.startsWith(place.shown) ? place.stored + path.slice(place.shown.length) : undefined;
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
      const below = `${(await resolve(files, scope, prefix)).path}/`.replace("//", "/");
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

interface Resolved {
  /** Absent for a path outside of the scope's threads. */
  readonly threadId?: string;
  readonly path: string;
}

/** Returns the thread of a path, and the path with whole names. */
async function resolve(files: ScopeFiles, scope: string, path: string): Promise<Resolved> {
  const normal = normalizePath(path);
  const [, name = "", ...rest] = normal.split("/");
  const threadId = name === "" ? undefined : await files.member(scope, name);
  if (threadId === undefined) return { path: normal };
  const start = rest.length === 1 ? turnStart(rest[0] ?? "") : undefined;
  const turns = start === undefined ? [] : await files.turns(threadId);
  const turn = turns.find((one) => start !== undefined && one.name.startsWith(start));
  const below = turn === undefined ? rest : ["turns", turn.name];
  return { threadId, path: ["", directoryOf(threadId), ...below].join("/") };
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
