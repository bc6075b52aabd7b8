import type { Passage, RecallIndex } from "@palimpsest/recall";
import { chatNeighbours, chatWeights } from "../tools/search/chat-weights.js";
import type { MemoryHit } from "../tools/tool-memory.js";
import { hashText } from "@palimpsest/vfs/internal";
import { partsOfTurnPath, turnPath, type ScopeFiles } from "./scope-files.js";
import { isTurnStart, readTurn, titleLines } from "./turns.js";

export interface ScopeSearchOptions {
  /** Passages; and notes that match, at most 5, to which the later ones of their subjects are added. @default 5 */
  readonly limit?: number;
  /** A thread that is left out, because it is searched by itself. */
  readonly except?: string;
}

interface Filled {
  readonly at: number;
  readonly took: number;
}

/** Turns that are indexed in one batch. */
const batch = 32;
/** The scope is listed again after this multiple of the duration of the last listing, because other processes may write to it. */
const patience = 100;
/** Separates the path of a turn from the digest of the text that was indexed. */
const separator = "@";

/** The turns of scopes in an index. The files are the source of truth: what the index lacks is added before a search. */
export class ScopeSearch {
  readonly #index: RecallIndex;
  readonly #files: ScopeFiles;
  readonly #filled = new Map<string, Filled>();

  constructor(files: ScopeFiles, index: RecallIndex) {
    this.#files = files;
    this.#index = index;
  }

  /** Returns the passages of a scope that match a question best. Each was read from its thread, which still exists. */
  async search(
    scope: string,
    query: string,
    { limit, except }: ScopeSearchOptions & { readonly limit: number },
  ): Promise<readonly MemoryHit[]> {
    const key = await this.#files.key(scope);
    await this.#fill(scope, key);
    const found = await this.#index.search(query, {
      thread: key,
      limit: 4 * limit,
      weigh: chatWeights,
      neighbourShare: chatNeighbours,
    });
    const hits: MemoryHit[] = [];
    for (const passage of found) {
      if (hits.length === limit) break;
      const hit = await this.#hitOf(scope, passage);
      if (hit !== undefined && hit.threadId !== except) hits.push(hit);
    }
    return hits;
  }

  /** Returns a passage with its source; undefined if its thread or the text that was indexed is gone. */
  async #hitOf(
    scope: string,
    { path: indexed, line: first, text: whole }: Passage,
  ): Promise<MemoryHit | undefined> {
    const path = indexed.slice(0, indexed.lastIndexOf(separator));
    const [directory, name] = partsOfTurnPath(path);
    const threadId = await this.#files.member(scope, directory);
    const turn = threadId === undefined ? undefined : await this.#files.turn(threadId, name);
    // A turn that went on is indexed in its later form as well.
    if (threadId === undefined || turn === undefined || pathIn(threadId, name, turn) !== indexed)
      return undefined;
    const shown = whole.split("\n");
    const skipped = titleLines(shown);
    const [line, text] = [first + skipped, shown.slice(skipped).join("\n")];
    const { at, lines } = readTurn(turn);
    const message = lines.find((one) => one.line >= line) ?? lines.at(-1);
    const id = message?.messageId === undefined ? {} : { messageId: message.messageId };
    return { threadId, path, line, text, at, ...id };
  }

  /** Lists a scope again at its next search. */
  expire(scope: string): void {
    this.#filled.delete(scope);
  }

  /** Deletes a scope from the index; the next search adds what is left of it. */
  async remove(scope: string): Promise<void> {
    this.expire(scope);
    await this.#index.removeThread(await this.#files.key(scope));
  }

  async removeThread(threadId: string): Promise<void> {
    await this.#index.removeThread(threadId);
  }

  async #fill(scope: string, key: string): Promise<void> {
    const known = this.#filled.get(scope);
    if (known !== undefined && performance.now() - known.at < patience * known.took) return;
    const start = performance.now();
    const { threads } = await this.#files.members(scope);
    for (const threadId of threads) await this.#add(key, threadId);
    const at = performance.now();
    this.#filled.set(scope, { at, took: at - start });
  }

  async #add(key: string, threadId: string): Promise<void> {
    const turns = await this.#files.turns(threadId);
    const files = [];
    for (const { name } of turns) {
      const text = await this.#files.turn(threadId, name);
      if (text !== undefined)
        files.push({
          thread: key,
          path: pathIn(threadId, name, text),
          kind: "turns",
          text,
          starts: isTurnStart,
        });
    }
    const missing = new Set(
      await this.#index.missing(
        key,
        files.map(({ path }) => path),
      ),
    );
    const added = files.filter(({ path }) => missing.has(path));
    for (let from = 0; from < added.length; from += batch)
      await this.#index.addFiles(added.slice(from, from + batch));
  }
}

/** A turn that goes on is indexed once more, under another path. */
function pathIn(threadId: string, name: string, text: string): string {
  return turnPath(threadId, name) + separator + hashText(text, 16);
}
