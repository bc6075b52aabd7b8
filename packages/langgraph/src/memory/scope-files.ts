import { randomBytes } from "node:crypto";
import { FileError, type FileDriver, type VirtualFilesystem } from "@palimpsest/vfs";
import {
  encodeScope,
  readAll,
  scopeDirectory,
  threadDirectory,
  threadsDirectory,
} from "@palimpsest/vfs/internal";
import type { NoteDraft } from "./note.js";
import { isShortName, shortName } from "./short-name.js";
import { turnName, turnSuffix } from "./turns.js";

/** What a thread has to do with its scope. */
export interface Membership {
  readonly threadId: string;
  readonly scope: string;
  /** The notes that the thread began with. They stay the same, so that the prefix of its prompts does. */
  readonly notes: readonly NoteReference[];
}

export interface NoteReference {
  readonly threadId: string;
  readonly id: string;
}

/** The threads of a scope. */
export interface Members {
  /** Ids. */
  readonly threads: readonly string[];
  /** Names of the directories of threads that were deleted. */
  readonly gone: readonly string[];
}

/** The notes of one turn, and what they were made from. */
export interface NotedTurn {
  /** Changes with the turn's file. */
  readonly stamp: string;
  readonly notes: readonly NoteDraft[];
}

/** The file with a turn. */
export interface TurnFile {
  /** Its name in the directory of the turns. */
  readonly name: string;
  readonly stamp: string;
}

/**
 * The files of memories across threads. What comes from a thread is in the directory of that thread, and goes when that is
 * deleted. A scope has a directory of its own, which no thread id leads to, with the names of its threads.
 */
export class ScopeFiles {
  readonly #files: VirtualFilesystem;
  readonly #driver: FileDriver;

  constructor(files: VirtualFilesystem) {
    this.#files = files;
    this.#driver = files.driver;
  }

  /** Returns the membership of a thread; undefined for a thread that has joined no scope, and for a copy of one that has. */
  async membership(threadId: string): Promise<Membership | undefined> {
    const known = await this.#read<Membership>(membershipPath(directoryOf(threadId)));
    return known?.threadId === threadId ? known : undefined;
  }

  /** Writes what the thread has to do with its scope. */
  async join(membership: Membership): Promise<void> {
    const { threadId } = membership;
    // A thread with files and without a key counts as one that has lost it.
    await this.#files.seal(threadId).prepare();
    await this.#files.threadDriver(threadId).write(membershipPath(directoryOf(threadId)), encode(membership));
    await this.enlist(membership);
  }

  /** Adds a thread to the list of its scope, which a thread that was copied to another storage has left behind. */
  async enlist({ threadId, scope }: Membership): Promise<void> {
    const path = `${membersOf(scope)}/${directoryOf(threadId)}.json`;
    await this.#driver.write(path, encode(threadId), { ifAbsent: true });
  }

  /** Returns the ids of the threads in a scope, and the directories of those that are gone. */
  async members(scope: string): Promise<Members> {
    const directories = await this.#directories(scope);
    const known = await this.#readAll<Membership>(directories.map(membershipPath));
    return {
      threads: directories.flatMap((directory, at) => memberOf(known[at], { scope, directory }) ?? []),
      // A file that is damaged is not gone.
      gone: directories.filter((_, at) => known[at] === undefined),
    };
  }

  /** Returns the id of the thread with a directory, or with its short name, if it belongs to the scope. */
  async member(scope: string, name: string): Promise<string | undefined> {
    const directory = isShortName(name) ? await this.#directoryWith(scope, name) : name;
    if (directory === undefined) return undefined;
    return memberOf(await this.#read<Membership>(membershipPath(directory)), { scope, directory });
  }

  /** Deletes a thread from the list of a scope. */
  async leave(scope: string, directory: string): Promise<void> {
    await this.#driver.delete(`${membersOf(scope)}/${directory}.json`);
  }

  /** Returns a random name for a scope in an index, where a thread could have the name of the scope. */
  async key(scope: string): Promise<string> {
    const path = `${scopeDirectory(scope)}/key.json`;
    const known = await this.#read<string>(path);
    if (known !== undefined) return known;
    await this.#driver.write(path, encode(`scope-${randomBytes(16).toString("hex")}`), { ifAbsent: true });
    const key = await this.#read<string>(path);
    if (key !== undefined) return key;
    throw new Error(`${path} is damaged: delete it, and the scope is indexed anew.`);
  }

  /** Returns the turns of a thread in their order. */
  async turns(threadId: string): Promise<readonly TurnFile[]> {
    const found: TurnFile[] = [];
    const directory = `${memoryOf(threadId)}/turns/`;
    for await (const { path, size, modifiedAt } of this.#driver.list(directory))
      found.push({ name: path.slice(directory.length), stamp: `${size} ${modifiedAt}` });
    return found;
  }

  /**
   * Stores a turn: over the earlier text of the same turn, or behind the last. `known` are the names of the thread's turns. Returns its
   * name, or undefined if nothing changed.
   */
  async putTurn(
    threadId: string,
    id: string,
    { known, textOf }: { readonly known: readonly string[]; readonly textOf: (number: number) => string },
  ): Promise<string | undefined> {
    const suffix = turnSuffix(id);
    const at = known.findIndex((name) => name.endsWith(suffix));
    const number = at < 0 ? known.length + 1 : at + 1;
    const name = known[at] ?? turnName(number, id);
    const text = textOf(number);
    const before = at < 0 ? undefined : await this.turn(threadId, name);
    if (before !== undefined && withoutTime(before) === withoutTime(text)) return undefined;
    await this.#files.seal(threadId).prepare();
    await this.#files.threadDriver(threadId).write(`${memoryOf(threadId)}/turns/${name}`, Buffer.from(text));
    return name;
  }

  /** Returns the text of a turn; undefined if it is gone. */
  async turn(threadId: string, name: string): Promise<string | undefined> {
    const bytes = await this.#driver.read(`${memoryOf(threadId)}/turns/${name}`);
    return bytes && Buffer.from(bytes).toString("utf8");
  }

  /** Returns the notes of threads, each by the name of their turn. */
  async noted(threads: readonly string[]): Promise<readonly ReadonlyMap<string, NotedTurn>[]> {
    const read = await this.#readAll<Readonly<Record<string, NotedTurn>>>(threads.map(notesPath));
    return threads.map((threadId, at) => {
      // A copy of a thread has the notes of the other one.
      const isOwn = ({ notes }: NotedTurn) => notes.every((note) => note.threadId === threadId);
      return new Map(Object.entries(read[at] ?? {}).filter(([, turn]) => isOwn(turn)));
    });
  }

  async putNoted(threadId: string, noted: ReadonlyMap<string, NotedTurn>): Promise<void> {
    await this.#files.threadDriver(threadId).write(notesPath(threadId), encode(Object.fromEntries(noted)));
  }

  /** Deletes all that the memory of a thread has written. */
  async removeThread(threadId: string): Promise<void> {
    const known = await this.membership(threadId);
    const paths: string[] = [];
    for await (const { path } of this.#driver.list(memoryOf(threadId))) paths.push(path);
    for (const path of paths) await this.#driver.delete(path);
    if (known !== undefined) await this.leave(known.scope, directoryOf(threadId));
  }

  /** Returns the names of the directories of a scope's threads, some of which may be gone. */
  async #directories(scope: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { path } of this.#driver.list(membersOf(scope)))
      names.push(path.slice(membersOf(scope).length + 1, -".json".length));
    return names;
  }

  async #directoryWith(scope: string, short: string): Promise<string | undefined> {
    return (await this.#directories(scope)).find((directory) => shortName(directory) === short);
  }

  async #read<T>(path: string): Promise<T | undefined> {
    const [read] = await this.#readAll<T>([path]);
    return read ?? undefined;
  }

  /** Returns what files hold, undefined for a missing one, and null for a damaged one: what it held is made again from the turns. */
  async #readAll<T>(paths: readonly string[]): Promise<readonly (T | null | undefined)[]> {
    const whole = await readAll(this.#driver, paths).catch(nothingIfCorrupt);
    if (whole !== undefined) return whole.map(decode) as (T | null | undefined)[];
    return Promise.all(
      paths.map(async (path) => {
        const one = await readAll(this.#driver, [path]).catch(nothingIfCorrupt);
        return one === undefined ? null : (decode(one[0]) as T | null | undefined);
      }),
    );
  }
}

function nothingIfCorrupt(error: unknown): undefined {
  if (!FileError.isInstance(error) || error.code !== "corrupt") throw error;
}

/** Returns undefined for a missing file, and null for a damaged one. */
function decode(bytes: Uint8Array | undefined): unknown {
  try {
    return bytes && JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
}

function memberOf(
  known: Membership | null | undefined,
  { scope, directory }: { readonly scope: string; readonly directory: string },
): string | undefined {
  const isMember = known?.scope === scope && directoryOf(known.threadId) === directory;
  return isMember ? known.threadId : undefined;
}

/** The directory of a thread's memory, beside its archive. */
export function memoryOf(threadId: string): string {
  return `${threadDirectory(threadId)}/memory`;
}

/** Returns the name of a thread's directory. */
export function directoryOf(threadId: string): string {
  return encodeScope(threadId);
}

/** The path of a turn as the agents of the scope see it. */
export function turnPath(threadId: string, name: string): string {
  return `${threadDirectory(threadId)}/turns/${name}`;
}

/** Returns the name of the thread's directory and of the file in such a path. */
export function partsOfTurnPath(path: string): readonly [directory: string, name: string] {
  const [directory = "", , name = ""] = path.slice(threadsDirectory.length + 1).split("/");
  return [directory, name];
}

function membershipPath(directory: string): string {
  return `${threadsDirectory}/${directory}/memory/scope.json`;
}

function notesPath(threadId: string): string {
  return `${memoryOf(threadId)}/notes.json`;
}

function membersOf(scope: string): string {
  return `${scopeDirectory(scope)}/threads`;
}

function encode(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** The first line of a turn holds the time of its last change. */
function withoutTime(text: string): string {
  return text.slice(text.indexOf("\n"));
}
