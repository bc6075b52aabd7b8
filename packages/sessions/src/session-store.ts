/** The calls of a storage of bytes that a session store needs. Every `FileDriver` of `@palimpsest/vfs` has them. */
export interface SessionFiles {
  read(path: string): Promise<Uint8Array | undefined>;
  write(path: string, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<boolean>;
  list(prefix: string): AsyncIterable<{ readonly path: string; readonly modifiedAt: string }>;
  delete(path: string): Promise<boolean>;
}

/** Names a transcript, as the Claude Agent SDK does. Without `subpath` it is the main one of the session. */
export interface SessionStoreKey {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpath?: string;
}

/** One line of a transcript. */
export interface SessionStoreEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

/** The `SessionStore` of the Claude Agent SDK. */
export interface SessionStore {
  append(key: SessionStoreKey, entries: SessionStoreEntry[]): Promise<void>;
  load(key: SessionStoreKey): Promise<SessionStoreEntry[] | null>;
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  listSubkeys(key: Pick<SessionStoreKey, "projectKey" | "sessionId">): Promise<string[]>;
  delete(key: SessionStoreKey): Promise<void>;
}

const root = "/agent-sessions";
/** The folder of the main transcript; no encoded subpath begins with a dot. */
const main = ".main";

/**
 * Returns a store for the Claude Agent SDK in a storage of bytes, such as `saver.files.driver`. A batch is a file that is
 * written once, so processes on several machines may append at once; an entry with a known `uuid` counts once.
 */
export function sessionStore(files: SessionFiles): SessionStore {
  let [last, count] = [0, 0];
  const nextName = (): string => {
    const now = Math.max(Date.now(), last);
    count = now === last ? count + 1 : 0;
    last = now;
    return `${String(now).padStart(15, "0")}-${String(count).padStart(6, "0")}-${crypto.randomUUID().slice(0, 8)}.jsonl`;
  };
  return {
    async append(key, entries) {
      if (entries.length === 0) return;
      const path = `${folderOf(key)}/${nextName()}`;
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      await files.write(path, new TextEncoder().encode(lines), { ifAbsent: true });
    },
    load: async (key) => loaded(files, folderOf(key)),
    async listSessions(projectKey) {
      const newest = new Map<string, number>();
      const folder = `${root}/${encoded(projectKey)}/`;
      for await (const { path, modifiedAt } of files.list(folder)) {
        const id = decodeURIComponent(path.slice(folder.length).split("/", 1)[0] ?? "");
        newest.set(id, Math.max(newest.get(id) ?? 0, Math.floor(Date.parse(modifiedAt))));
      }
      return [...newest].map(([sessionId, mtime]) => ({ sessionId, mtime }));
    },
    async listSubkeys(key) {
      const folder = `${sessionFolder(key)}/`;
      const found = new Set<string>();
      for await (const { path } of files.list(folder))
        found.add(path.slice(folder.length).split("/", 1)[0] ?? "");
      return [...found].filter((name) => name !== main).map((name) => decodeURIComponent(name));
    },
    async delete(key) {
      // The main transcript takes those of its subagents with it.
      const paths: string[] = [];
      const folder = key.subpath === undefined ? sessionFolder(key) : folderOf(key);
      for await (const { path } of files.list(`${folder}/`)) paths.push(path);
      for (const path of paths) await files.delete(path);
    },
  };
}

async function loaded(files: SessionFiles, folder: string): Promise<SessionStoreEntry[] | null> {
  const paths: string[] = [];
  for await (const { path } of files.list(`${folder}/`)) paths.push(path);
  const entries: SessionStoreEntry[] = [];
  const known = new Set<string>();
  for (const path of paths.toSorted((a, b) => (a < b ? -1 : 1))) {
    const text = new TextDecoder().decode(await files.read(path));
    for (const line of text.split("\n").filter((one) => one !== "")) {
      const entry = JSON.parse(line) as SessionStoreEntry;
      if (entry.uuid !== undefined && known.has(entry.uuid)) continue;
      if (entry.uuid !== undefined) known.add(entry.uuid);
      entries.push(entry);
    }
  }
  return paths.length === 0 ? null : entries;
}

function sessionFolder({ projectKey, sessionId }: Pick<SessionStoreKey, "projectKey" | "sessionId">): string {
  return `${root}/${encoded(projectKey)}/${encoded(sessionId)}`;
}

function folderOf(key: SessionStoreKey): string {
  return `${sessionFolder(key)}/${key.subpath === undefined ? main : encoded(key.subpath)}`;
}

/** Returns a name that is one part of a path, whatever it holds. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(".", "%2E");
}
