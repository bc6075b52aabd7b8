import type { CheckpointEntry, VfsSaver } from "@palimpsest/checkpoint";
import { findFolds, readState } from "@palimpsest/inspector";
import { oneLine, terminalText } from "../terminal-text.js";
import type { Verb } from "../verb.js";

interface Damage {
  readonly thread: string;
  /** The checkpoint, archive file, workspace file or fold that is damaged. */
  readonly what: string;
  readonly error: string;
}

/** How many of each were read. */
interface Checked {
  threads: number;
  checkpoints: number;
  files: number;
  folds: number;
  /** Bytes of the archive files. */
  bytes: number;
}

/** Reads everything of a storage, and reports what is damaged. */
export const verify: Verb = {
  name: "verify",
  description: "Read every checkpoint, archive file, workspace file and fold, and report what is damaged",
  args: ["[thread]"],
  options: [],
  async run({ saver, args: [only], progress }) {
    const checked: Checked = { threads: 0, checkpoints: 0, files: 0, folds: 0, bytes: 0 };
    const damage: Damage[] = [];
    const threads = only === undefined ? await saver.threads() : [only];
    for (const thread of threads) {
      progress(`verifying ${oneLine(thread, 60)}, thread ${checked.threads + 1} of ${threads.length}`);
      await new ThreadCheck({ saver, thread, checked, damage }).run();
      checked.threads += 1;
    }
    const lines = damage.map(({ thread, what, error }) => `${thread}: ${what}: ${error}\n`);
    const counts = Object.entries(checked).map(([name, count]) => `${count.toLocaleString("en-US")} ${name}`);
    const text = `${terminalText(lines.join(""))}${counts.join(", ")}: ${damage.length} damaged\n`;
    return { data: { ...checked, damage }, text, isFailure: damage.length > 0 };
  },
};

interface ThreadCheckOptions {
  readonly saver: VfsSaver;
  readonly thread: string;
  readonly checked: Checked;
  readonly damage: Damage[];
}

/** Reads everything of one thread. Goes on after damage. */
class ThreadCheck {
  readonly #saver: VfsSaver;
  readonly #thread: string;
  readonly #checked: Checked;
  readonly #damage: Damage[];

  constructor({ saver, thread, checked, damage }: ThreadCheckOptions) {
    this.#saver = saver;
    this.#thread = thread;
    this.#checked = checked;
    this.#damage = damage;
  }

  async run(): Promise<void> {
    await this.#try("list of checkpoints", async () => this.#readCheckpoints());
    await this.#try("archive", async () => this.#readArchive());
    await this.#try("newest state", async () => this.#readNewest());
  }

  async #try(what: string, read: () => Promise<unknown>): Promise<void> {
    try {
      await read();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#damage.push({ thread: this.#thread, what, error: text });
    }
  }

  async #readCheckpoints(): Promise<void> {
    const entries: CheckpointEntry[] = [];
    for await (const entry of this.#saver.checkpoints(this.#thread)) entries.push(entry);
    for (const { namespace, id } of entries) {
      const configurable = { thread_id: this.#thread, checkpoint_ns: namespace, checkpoint_id: id };
      await this.#try(`checkpoint ${id}`, async () => this.#saver.getTuple({ configurable }));
      this.#checked.checkpoints += 1;
    }
  }

  async #readArchive(): Promise<void> {
    const archive = this.#saver.files.archive(this.#thread);
    const paths: string[] = [];
    for await (const { path } of archive.list()) paths.push(path);
    for (const path of paths) {
      await this.#try(`archive file ${path}`, async () => {
        this.#checked.bytes += (await archive.readBytes(path)).length;
      });
      this.#checked.files += 1;
    }
  }

  /** Reads the original of every fold of the newest state, nested ones included, and every file of the workspace. */
  async #readNewest(): Promise<void> {
    const { context, files } = await readState(this.#saver, this.#thread);
    const { archive, workspace } = this.#saver.files.thread(this.#thread, files);
    for (const path of Object.keys(files)) {
      await this.#try(`workspace file ${path}`, async () => {
        const { error } = await workspace.readRaw(path);
        if (error !== undefined) throw new Error(error);
      });
      this.#checked.files += 1;
    }
    for (const { fold } of await findFolds(context, async (path) => archive.readText(path))) {
      const path = fold.record ?? fold.path;
      const isHeld = fold.held?.some((original) => original.path === path) ?? false;
      if (!isHeld) await this.#try(`fold ${fold.id}`, async () => archive.readText(path));
      this.#checked.folds += 1;
    }
  }
}
