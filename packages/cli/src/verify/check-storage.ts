import type { DamagedPart, VfsSaver } from "@palimpsest/checkpoint";
import { findFolds } from "@palimpsest/inspector";
import { FileError, type Archive } from "@palimpsest/vfs";
import { allStandIns } from "./all-stand-ins.js";
import { CliError } from "../cli-error.js";
import { count, oneLine } from "../terminal-text.js";
import type { VerbInput } from "../verb.js";

interface Damage {
  readonly thread: string;
  /** The checkpoint, archive file, workspace file or fold that is damaged. */
  readonly what: string;
  readonly error: string;
}

/** Counts of what was read. */
interface Checked {
  threads: number;
  checkpoints: number;
  /** Values of checkpoints and contents of workspace files, each counted once in a thread. */
  values: number;
  /** Files of the archive. */
  files: number;
  folds: number;
  bytes: number;
}

/** The result of a check of a storage. */
export interface CheckedStorage {
  readonly checked: Checked;
  readonly damage: readonly Damage[];
}

/** Reads everything of a storage, or of one of its threads. Goes on after damage. */
export async function checkStorage({
  saver,
  args: [only],
  progress,
}: Pick<VerbInput, "saver" | "args" | "progress">): Promise<CheckedStorage> {
  const checked: Checked = { threads: 0, checkpoints: 0, values: 0, files: 0, folds: 0, bytes: 0 };
  const damage = new DamageList();
  const onDamage = (found: DamagedPart): void => damage.add(found);
  const entries: DamagedPart[] = [];
  progress("verifying indexes");
  await saver.verifyIndexes((found) => void entries.push(found));
  const stored = await saver.threads({ onDamage });
  // If entries are damaged, the thread may be one of those.
  if (only !== undefined && !stored.includes(only) && damage.all.length + entries.length === 0)
    throw new CliError(`There is no thread ${JSON.stringify(only)}. "palimpsest threads" lists all threads.`);
  const threads = only === undefined ? stored : [only];
  for (const thread of threads) {
    const line = `verifying ${oneLine(thread, 60)}, thread ${checked.threads + 1} of ${threads.length}`;
    progress(line);
    const read = ({ values, bytes }: Pick<Checked, "values" | "bytes">): void =>
      progress(`${line}: ${count(values)} values, ${count(bytes)} bytes`);
    await new ThreadCheck({ saver, thread, checked, damage, read }).run();
    if (damage.has(thread) && (await isDeleted(saver, thread))) damage.forget(thread);
    checked.threads += 1;
  }
  // What was met in a thread is told of with the thread alone.
  for (const found of entries) if (!damage.hasError(found.error)) damage.add(found);
  return { checked, damage: damage.all };
}

/** Returns true for a thread that was deleted since it was listed. Its entry may be damaged if any entry is. */
async function isDeleted(saver: VerbInput["saver"], thread: string): Promise<boolean> {
  let isWhole = true;
  const stored = await saver.threads({ onDamage: () => void (isWhole = false) });
  return isWhole && !stored.includes(thread);
}

/** The damaged parts, each once, because several reads may find the same part. */
class DamageList {
  readonly #byError = new Map<string, Damage>();

  get all(): readonly Damage[] {
    return [...this.#byError.values()];
  }

  has(thread: string): boolean {
    return this.all.some((one) => one.thread === thread);
  }

  hasError({ message }: Error): boolean {
    return this.all.some((one) => one.error === message);
  }

  /** Drops what is noted of a thread. */
  forget(thread: string): void {
    for (const [key, one] of this.#byError) if (one.thread === thread) this.#byError.delete(key);
  }

  add({ threadId, id, error }: DamagedPart, what = id === undefined ? "entry" : `checkpoint ${id}`): void {
    const key = JSON.stringify([threadId, error.message]);
    if (!this.#byError.has(key)) this.#byError.set(key, { thread: threadId, what, error: error.message });
  }
}

/** Maximum concurrent reads of single files: on Postgres, each waits for the server. */
const filesAtOnce = 8;

/** Maximum number of files in one read; fewer if the files before them were large. */
const maxTogether = 256;
const smallTogether = 4_000_000;

interface ThreadCheckOptions {
  readonly saver: VfsSaver;
  readonly thread: string;
  readonly checked: Checked;
  readonly damage: DamageList;
  /** Called from time to time with the counts of the thread so far. */
  readonly read: (read: Pick<Checked, "values" | "bytes">) => void;
}

/** Reads everything of one thread. Goes on after damage. */
class ThreadCheck {
  readonly #saver: VfsSaver;
  readonly #thread: string;
  readonly #checked: Checked;
  readonly #damage: DamageList;
  readonly #read: ThreadCheckOptions["read"];
  /** Archive files that could be read. */
  readonly #readable = new Set<string>();

  constructor({ saver, thread, checked, damage, read }: ThreadCheckOptions) {
    this.#saver = saver;
    this.#thread = thread;
    this.#checked = checked;
    this.#damage = damage;
    this.#read = read;
  }

  async run(): Promise<void> {
    await this.#try("key", async () => this.#checkKeys());
    await this.#try("checkpoints", async () => this.#readCheckpoints());
    await this.#try("archive", async () => this.#readArchive());
    await this.#try("folds", async () => this.#readFolds());
  }

  async #try(what: string, read: () => Promise<unknown>): Promise<void> {
    try {
      await read();
    } catch (thrown) {
      this.#addDamage(what, thrown);
    }
  }

  #addDamage(what: string, thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#damage.add({ threadId: this.#thread, error }, what);
  }

  async #checkKeys(): Promise<void> {
    for (const path of await this.#saver.files.seal(this.#thread).check())
      this.#addDamage(
        "key",
        new FileError("corrupt", `${path} is not a key of the thread. Run "palimpsest verify --repair".`),
      );
  }

  async #readCheckpoints(): Promise<void> {
    const { checkpoints, values, bytes } = await this.#saver.verify(
      this.#thread,
      (found) => this.#damage.add(found),
      this.#read,
    );
    this.#checked.checkpoints += checkpoints;
    this.#checked.values += values;
    this.#checked.bytes += bytes;
  }

  async #readArchive(): Promise<void> {
    const archive = this.#saver.files.archive(this.#thread);
    let together = filesAtOnce;
    for await (const paths of archive.listPaths()) {
      for (let at = 0; at < paths.length;) {
        const some = paths.slice(at, at + together);
        at += some.length;
        const size = await this.#readFiles(archive, some);
        together = size < smallTogether ? Math.min(2 * together, maxTogether) : filesAtOnce;
      }
    }
  }

  /** Reads files together, or one by one if that fails. Returns their bytes in total. */
  async #readFiles(archive: Archive, paths: readonly string[]): Promise<number> {
    const before = this.#checked.bytes;
    const together = await archive.readAll(paths).catch(() => undefined);
    for (const [index, value] of (together ?? []).entries())
      this.#noteFile(paths[index] ?? "", { status: "fulfilled", value });
    const apart = together === undefined ? paths : [];
    for (let at = 0; at < apart.length; at += filesAtOnce) {
      const some = apart.slice(at, at + filesAtOnce);
      const read = await Promise.allSettled(some.map(async (path) => archive.readBytes(path)));
      for (const [index, path] of some.entries()) this.#noteFile(path, read[index]);
    }
    return this.#checked.bytes - before;
  }

  #noteFile(path: string, read: PromiseSettledResult<Uint8Array> | undefined): void {
    this.#checked.files += 1;
    if (read?.status === "fulfilled") {
      this.#checked.bytes += read.value.length;
      this.#readable.add(path);
    } else this.#addDamage(`archive file ${path}`, read?.reason);
  }

  /** Reads the original of every genuine fold of every state, nested ones included. */
  async #readFolds(): Promise<void> {
    const attempt = async (read: () => Promise<void>): Promise<void> => this.#try("history", read);
    const standIns = await allStandIns(this.#saver, this.#thread, attempt);
    const archive = this.#saver.files.archive(this.#thread);
    // A damaged record stays closed here, as a missing one does, so that it hides no other fold. Both are reported below.
    const read = async (path: string): Promise<string> => {
      if (this.#readable.has(path)) return archive.readText(path);
      throw new FileError("not-found", `${path} cannot be read.`);
    };
    for (const { fold } of await findFolds(standIns, read)) {
      const held = new Set(fold.held?.map((original) => original.path));
      // The agent is told of the path. The record beside it holds the originals.
      for (const path of new Set([fold.record ?? fold.path, fold.path])) {
        if (!held.has(path) && !this.#readable.has(path))
          await this.#try(`fold ${fold.id}`, async () => archive.readText(path));
      }
      this.#checked.folds += 1;
    }
  }
}
