import type { SummaryModel } from "../options/context-options.js";
import { chooseNotes } from "./choose-notes.js";
import { extractNotes, type TurnSource } from "./extract-notes.js";
import { askForNotes } from "./model-notes.js";
import { noteOf, type Note } from "./note.js";
import { turnPath, type NotedTurn, type ScopeFiles } from "./scope-files.js";

export interface NoteWriterOptions {
  /** Writes the notes. @default none: the notes are sentences of the user, word for word */
  readonly model?: SummaryModel;
  /** Tokens of the known notes that the model is shown. */
  readonly noteTokens: number;
  /** Called when the model fails, so that the notes are extracted. */
  readonly onError: (error: unknown, threadId: string) => void;
}

export interface NotedThread {
  readonly threadId: string;
  /** All threads of the scope, whose notes the model is shown. */
  readonly threads: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Makes notes of recorded turns and reads them. */
export class NoteWriter {
  readonly #files: ScopeFiles;
  readonly #options: NoteWriterOptions;

  constructor(files: ScopeFiles, options: NoteWriterOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** Returns the notes of threads. */
  async read(threads: readonly string[]): Promise<readonly Note[]> {
    const noted = await this.#files.noted(threads);
    return noted.flatMap((turns) => [...turns.values()].flatMap(({ notes }) => notes.map(noteOf)));
  }

  /** Makes notes of the turns of a thread that are new or have changed. Returns how many turns it has read. */
  async write({ threadId, ...about }: NotedThread): Promise<number> {
    const [known] = await this.#files.noted([threadId]);
    const noted = new Map(known);
    const turns = await this.#files.turns(threadId);
    const due = turns.filter(({ name, stamp }) => noted.get(name)?.stamp !== stamp);
    for (const { name, stamp } of due) {
      const text = await this.#files.turn(threadId, name);
      if (text === undefined) continue;
      const source = { threadId, path: turnPath(threadId, name), text };
      noted.set(name, await this.#draft(source, { stamp, ...about }));
      // What a model has written is paid for: it is stored at once.
      if (this.#options.model !== undefined) await this.#files.putNoted(threadId, noted);
    }
    if (due.length > 0) await this.#files.putNoted(threadId, noted);
    return due.length;
  }

  async #draft(source: TurnSource, { stamp, threads, signal }: DraftOptions): Promise<NotedTurn> {
    const { model, noteTokens, onError } = this.#options;
    if (model === undefined) return { stamp, notes: extractNotes(source) };
    try {
      const known = chooseNotes(await this.read(threads), noteTokens);
      return { stamp, notes: await askForNotes(source, { model, known, signal }) };
    } catch (error) {
      signal?.throwIfAborted();
      onError(error, source.threadId);
      // No turn has this stamp: the next time, the model is asked again.
      return { stamp: "", notes: extractNotes(source) };
    }
  }
}

interface DraftOptions extends Omit<NotedThread, "threadId"> {
  readonly stamp: string;
}
