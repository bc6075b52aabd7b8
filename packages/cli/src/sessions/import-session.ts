import { basename } from "node:path";
import type { VfsSaver } from "@palimpsest/checkpoint";
import {
  formats,
  readSession,
  type Place,
  type SessionEvent,
  type SessionFacts,
  type SessionRecord,
} from "@palimpsest/sessions";
import { CliError } from "../cli-error.js";
import { chunksOf, sessionName, sizeOf } from "./session-files.js";
import { SourceCopy } from "./source-copy.js";
import { importedThread, ThreadWriter, type ImportedSession, type ImportedThread } from "./thread-writer.js";

/** What the import of one file has done. */
export interface ImportReport {
  readonly file: string;
  readonly thread: string;
  readonly format: string;
  readonly bytes: number;
  readonly records: number;
  readonly messages: number;
  /** Folds of compactions and of results that were cleared. */
  readonly folds: number;
  /** Threads of subagents. */
  readonly subagents: readonly string[];
  /** Checkpoints that were written. Zero if an earlier import had read the same bytes. */
  readonly written: number;
  /** Records that no reader knows, by what they are called. */
  readonly unknown: Readonly<Record<string, number>>;
  /** Lines that could not be read, with the reason. */
  readonly broken: readonly string[];
  /** Why the last line could not be read, of a session that is still being written. */
  readonly unfinished?: string;
}

interface Import {
  readonly copy: SourceCopy;
  readonly earlier: ImportedThread | undefined;
}

export interface ImportOptions {
  readonly saver: VfsSaver;
  readonly progress: (line: string) => void;
}

/**
 * Imports one file as a thread, and its subagents as threads beside it. Repeated, it goes on where the last import ended.
 * Throws a SessionError for a file that is no session, and a CliError for one whose imported part has changed.
 */
export async function importSession(path: string, options: ImportOptions): Promise<ImportReport> {
  return new SessionImport(path, options).run();
}

/** A file that is one JSON value, and the storage of some agents, is written anew each time. */
function isRewritten({ format, records }: ImportedSession): boolean {
  return records === 1 || formats.some(({ name, isRewritten: is }) => name === format && is === true);
}

/** Milliseconds after which a transaction ends, so that others can write. */
const longestTransaction = 100;

/** Broken lines that a report names one by one. */
const mostNamed = 20;

class SessionImport {
  readonly #path: string;
  readonly #options: ImportOptions;
  readonly #name: string;
  readonly #writers = new Map<string, ThreadWriter>();
  readonly #unknown: Record<string, number> = {};
  readonly #broken: string[] = [];
  #brokenCount = 0;
  #unfinished: string | undefined;
  #records = 0;
  #format = "";
  #facts: SessionFacts = {};
  #main: string | undefined;

  constructor(path: string, options: ImportOptions) {
    this.#path = path;
    this.#options = options;
    this.#name = sessionName(path);
  }

  async run(): Promise<ImportReport> {
    const { saver, progress } = this.#options;
    const earlier = await importedThread(saver, this.#name);
    const before = this.#known(earlier);
    const known = before?.bytes ?? 0;
    const copy = new SourceCopy(saver.files.archive(this.#name), before);
    const all = sizeOf(this.#path);
    const onFormat = ({ name }: { readonly name: string }): void => void (this.#format = name);
    const records = readSession(chunksOf(this.#path), { name: this.#path, onFormat });
    try {
      while (await saver.together(async () => this.#addSome(records, { copy, earlier }))) {
        const done =
          all === undefined ? this.#records : `${Math.floor((100 * copy.bytes) / Math.max(1, all))} %`;
        progress(`importing ${this.#name}: ${done}`);
      }
    } finally {
      await records.return(undefined);
    }
    await copy.flush();
    if (copy.bytes < known) throw this.#changed(copy.bytes);
    return this.#finish(copy, earlier);
  }

  /** Returns false at the end of the file. */
  async #addSome(records: AsyncGenerator<SessionRecord>, target: Import): Promise<boolean> {
    for (const end = performance.now() + longestTransaction; performance.now() < end;) {
      const next = await records.next();
      if (next.done === true) return false;
      await this.#addRecord(next.value, target);
    }
    return true;
  }

  async #addRecord(record: SessionRecord, target: Import): Promise<void> {
    const { copy } = target;
    if (record.isUnfinished === true) {
      await copy.addUnfinished(record.bytes);
      this.#noteUnfinished(record);
      return;
    }
    await copy.add(record.bytes);
    this.#checkCopied(target);
    this.#records += 1;
    for (const event of record.events) await this.#add(event, record.place, target);
  }

  /** Throws where the bytes of an earlier import end, if they were others. */
  #checkCopied({ copy, earlier }: Import): void {
    const known = this.#known(earlier);
    if (known === undefined || known.bytes === 0 || copy.bytes !== known.bytes) return;
    if (copy.digest() !== known.digest) throw this.#changed(known.bytes);
  }

  /** Returns what an earlier import has copied of a file that only grows. */
  #known(earlier: ImportedThread | undefined): ImportedSession | undefined {
    return earlier === undefined || isRewritten(earlier.session) ? undefined : earlier.session;
  }

  async #add(event: SessionEvent, { line }: Place, { copy, earlier }: Import): Promise<void> {
    if (event.kind === "facts") this.#facts = { ...this.#facts, ...event.facts };
    else if (event.kind === "unknown") this.#unknown[event.what] = (this.#unknown[event.what] ?? 0) + 1;
    else if (event.kind === "broken") this.#noteBroken(`line ${line}: ${event.why}`);
    else if (event.kind !== "note") {
      const writer = await this.#writer(event.lane ?? "", earlier);
      await writer.add(event, () => this.#session(copy, writer));
    }
  }

  async #finish(copy: SourceCopy, earlier: ImportedThread | undefined): Promise<ImportReport> {
    const main = await this.#writer(this.#main ?? "", earlier);
    const isNew = earlier?.session.digest !== copy.stored.digest;
    if (isNew)
      for (const writer of this.#writers.values())
        await writer.finish(this.#session(copy, writer), writer === main);
    const subagents = [...this.#writers.values()].filter((writer) => writer !== main);
    const sum = (of: (writer: ThreadWriter) => number): number =>
      [...this.#writers.values()].reduce((total, writer) => total + of(writer), 0);
    return {
      file: this.#path,
      thread: main.threadId,
      format: this.#format,
      bytes: copy.bytes,
      records: this.#records,
      messages: sum((writer) => writer.messages),
      folds: sum((writer) => writer.folds),
      subagents: subagents.map(({ threadId }) => threadId),
      written: sum((writer) => writer.written),
      unknown: this.#unknown,
      broken:
        this.#brokenCount > mostNamed
          ? [...this.#broken, `and ${this.#brokenCount - mostNamed} more lines`]
          : this.#broken,
      ...(this.#unfinished === undefined ? {} : { unfinished: this.#unfinished }),
    };
  }

  #changed(bytes: number): CliError {
    return new CliError(
      `${this.#path} has changed in its first ${bytes} bytes since it was imported as ${this.#name}. Import it under another file name.`,
    );
  }

  /** Of the last bytes nothing is known yet but that they are no record. */
  #noteUnfinished({ place, events }: SessionRecord): void {
    for (const event of events)
      if (event.kind === "broken") this.#unfinished = `line ${place.line}: ${event.why}`;
  }

  #noteBroken(why: string): void {
    this.#brokenCount += 1;
    if (this.#broken.length < mostNamed) this.#broken.push(why);
  }

  /** The file is in the archive of the main thread, and in no other. */
  #session(copy: SourceCopy, { threadId }: ThreadWriter): ImportedSession {
    const { parts, tail, ...stored } = copy.stored;
    const broken = this.#brokenCount;
    const counts = {
      records: this.#records,
      broken,
      unknown: Object.values(this.#unknown).reduce((a, b) => a + b, 0),
    };
    return {
      ...this.#facts,
      ...counts,
      format: this.#format,
      file: basename(this.#path),
      ...stored,
      ...(threadId === this.#name ? { parts, tail } : { parts: [] }),
      settled: 0,
    };
  }

  /** The first conversation of a file is its main one: the file of a subagent holds no other. */
  async #writer(lane: string, earlier: ImportedThread | undefined): Promise<ThreadWriter> {
    this.#main ??= lane;
    const known = this.#writers.get(lane);
    if (known !== undefined) return known;
    const isMain = lane === this.#main;
    const threadId = isMain ? this.#name : `${this.#name}:${lane}`;
    const { saver } = this.#options;
    const writer = new ThreadWriter(
      saver,
      threadId,
      isMain ? earlier : await importedThread(saver, threadId),
    );
    this.#writers.set(lane, writer);
    return writer;
  }
}
