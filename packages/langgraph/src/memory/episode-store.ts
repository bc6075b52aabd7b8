import type { BaseStore } from "@langchain/langgraph";
import { ContextError } from "@palimpsest/context";
import { archiveKind, isCopyPath, isDataUrl } from "@palimpsest/context/internal";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { shownValue } from "../options/fields.js";
import { withoutSummaries } from "../tools/archived-messages.js";

export interface EpisodeStoreOptions {
  /** Receives the entries, such as the store of the graph. An index on its field `text` makes them searchable by meaning. */
  readonly store: BaseStore;
  /**
   * Namespace of a thread's entries. Begin it with the user to search all threads of a user: the labels come from the host, never
   * from a client. @default ["episodes", the thread's id]
   */
  readonly namespace?: (threadId: string) => readonly string[];
  /** Returns further fields of each entry of a thread, such as the user. @default none */
  readonly about?: (threadId: string) => Readonly<Record<string, unknown>>;
  /** Characters of an entry's text. The rest stays in the archive. @default 20,000 */
  readonly maxCharacters?: number;
  /** Called when an entry cannot be written; `copy` writes it later. @default nothing */
  readonly onError?: (error: unknown, at: { readonly threadId: string; readonly path: string }) => void;
}

/** One entry: a file of the archive as plain text. Its key is the path. */
export interface Episode {
  /** The folder of the file: `history`, `steps`, `results` or `inputs`. */
  readonly kind: string;
  readonly text: string;
  readonly threadId: string;
  /** `read_file` of the thread reads all of it there. */
  readonly path: string;
  /** ISO 8601 time of the copy. */
  readonly createdAt: string;
  /** Characters of the whole file. */
  readonly characters: number;
}

const kinds: ReadonlySet<string> = new Set(["history", "steps", "results", "inputs"]);

/**
 * Copies what compaction archives to a LangGraph store as plain text, so that `store.search` and any memory tool find it (SynthOrg,
 * recommendation 5: episodic entries). The archive stays the record: an entry that is lost is copied again from it. Pass it to a
 * `VfsSaver` as `index`, and `deleteThread` deletes the entries as well.
 * @throws ContextError `bad-option`
 */
export class EpisodeStore {
  readonly #options: EpisodeStoreOptions;
  readonly #writing = new Set<Promise<void>>();

  constructor(options: EpisodeStoreOptions) {
    const { store, maxCharacters = 1 } = (options ?? {}) as Partial<EpisodeStoreOptions>;
    if (typeof store?.put !== "function")
      throw bad("store", store, "pass a store of LangGraph, such as new InMemoryStore()");
    if (!Number.isInteger(maxCharacters) || maxCharacters < 1)
      throw bad("maxCharacters", maxCharacters, "pass a whole number above 0");
    this.#options = options;
  }

  /** Copies what is archived through this filesystem from now on. Returns a function that ends it. */
  follow(files: VirtualFilesystem): () => void {
    return files.onAppend(({ threadId, path, content }) => {
      if (!isEpisode(path)) return;
      const written = this.#put(threadId, path, content).catch((error: unknown) =>
        this.#options.onError?.(error, { threadId, path }),
      );
      this.#writing.add(written);
      void written.finally(() => this.#writing.delete(written));
    });
  }

  /** Resolves when all that was archived so far is in the store, or has failed. Call it at the end of a run. */
  async flush(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /** Copies the files of a thread's archive that the store lacks. Returns their number. */
  async copy(files: VirtualFilesystem, threadId: string): Promise<number> {
    await this.flush();
    const archive = files.archive(threadId);
    const namespace = this.#namespace(threadId);
    let copied = 0;
    for await (const { path } of archive.list()) {
      if (!isEpisode(path) || (await this.#options.store.get(namespace, path))) continue;
      await this.#put(threadId, path, await archive.readBytes(path));
      copied += 1;
    }
    return copied;
  }

  /** Deletes the entries of a thread. */
  async removeThread(threadId: string): Promise<void> {
    await this.flush();
    const namespace = this.#namespace(threadId);
    const { store } = this.#options;
    const deleted = new Set<string>();
    for (;;) {
      const found = await store.search(namespace, { filter: { threadId }, limit: 100 });
      const left = found.filter(({ key }) => !deleted.has(key));
      // A store may go on listing for a moment what it has deleted.
      if (left.length === 0) return;
      for (const { namespace: own, key } of left) {
        await store.delete(own, key);
        deleted.add(key);
      }
    }
  }

  async #put(threadId: string, path: string, content: string | Uint8Array): Promise<void> {
    const { store, about, maxCharacters = 20_000 } = this.#options;
    const whole = typeof content === "string" ? content : new TextDecoder().decode(content);
    const text = withoutSummaries(whole).slice(0, maxCharacters);
    const episode: Episode = {
      kind: archiveKind(path),
      text,
      threadId,
      path,
      createdAt: new Date().toISOString(),
      characters: whole.length,
    };
    await store.put(this.#namespace(threadId), path, { ...about?.(threadId), ...episode });
  }

  /** Labels have no dots: LangGraph refuses them. */
  #namespace(threadId: string): string[] {
    const { namespace } = this.#options;
    if (namespace !== undefined) return [...namespace(threadId)];
    return ["episodes", encodeURIComponent(threadId).replaceAll(".", "%2E")];
  }
}

/** A file of the conversation itself, in words. */
function isEpisode(path: string): boolean {
  return kinds.has(archiveKind(path)) && !isCopyPath(path) && !isDataUrl(path);
}

function bad(name: string, value: unknown, way: string): ContextError {
  return new ContextError("bad-option", `${name} is ${shownValue(value)}: ${way}`);
}
