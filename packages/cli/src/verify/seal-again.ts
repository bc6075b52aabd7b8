import { isBaseMessage, type BaseMessage } from "@langchain/core/messages";
import { CheckpointError, type RestoredPart, type VfsSaver } from "@palimpsest/checkpoint";
import { foldOf, type Fold } from "@palimpsest/context";
import { messagesOfRecord } from "@palimpsest/context/internal";
import { sealFolds, withoutSeal } from "@palimpsest/langgraph/threads";
import { FileError, type Archive } from "@palimpsest/vfs";
import { digestInName, type ThreadSeal } from "@palimpsest/vfs/internal";

/**
 * Gives every thread that has lost its key a new one, and seals its folds again where the archive proves them: their file is
 * there, has the digest in its name, and holds the messages that the fold covers. Call it on a copy of the storage. Other folds
 * become ordinary messages, and workspace files have to be written again.
 */
export async function sealAgain(saver: VfsSaver): Promise<readonly RestoredPart[]> {
  const restored: RestoredPart[] = [];
  for (const threadId of await saver.threads({ onDamage: () => undefined })) {
    const seal = saver.files.seal(threadId);
    if (!(await hasLostKey(seal))) continue;
    await seal.renew();
    const folds = await new ThreadSealing(saver, threadId, seal).run();
    restored.push({ threadId, what: `the key, and the seals of ${folds} folds`, from: "its archive" });
  }
  return restored;
}

async function hasLostKey(seal: ThreadSeal): Promise<boolean> {
  try {
    await seal.check();
    return false;
  } catch (error) {
    // What else is wrong with a key is reported of the copy.
    if (!FileError.isInstance(error)) throw error;
    return error.code === "missing-key";
  }
}

/** Does nothing more where the thread is damaged. */
async function unlessDamaged(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isDamage = CheckpointError.isInstance(error) && ["corrupt", "missing-blob"].includes(error.code);
    if (!isDamage) throw error;
  }
}

const noMetadata = { source: "update", step: 0, parents: {} } as const;

/** Seals the folds in every checkpoint of one thread. */
class ThreadSealing {
  readonly #saver: VfsSaver;
  readonly #threadId: string;
  readonly #seal: ThreadSeal;
  readonly #archive: Archive;
  readonly #proven = new Map<string, boolean>();

  constructor(saver: VfsSaver, threadId: string, seal: ThreadSeal) {
    this.#saver = saver;
    this.#threadId = threadId;
    this.#seal = seal;
    this.#archive = saver.files.archive(threadId);
  }

  /** Returns how many folds are proven. A checkpoint that cannot be read stays as it is. */
  async run(): Promise<number> {
    const places: { readonly namespace: string; readonly id: string }[] = [];
    await unlessDamaged(async () => {
      for await (const place of this.#saver.checkpoints(this.#threadId)) places.push(place);
    });
    for (const { namespace, id } of places.toReversed())
      await unlessDamaged(async () => this.#sealCheckpoint(namespace, id));
    return [...this.#proven.values()].filter(Boolean).length;
  }

  async #sealCheckpoint(namespace: string, id: string): Promise<void> {
    const place = { thread_id: this.#threadId, checkpoint_ns: namespace };
    const tuple = await this.#saver.getTuple({ configurable: { ...place, checkpoint_id: id } });
    if (!tuple) return;
    const { checkpoint, metadata = noMetadata, parentConfig } = tuple;
    const values = await this.#sealedValues(checkpoint.channel_values);
    if (values === undefined) return;
    const parent = parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
    const below = { configurable: { ...place, ...(parent === undefined ? {} : { checkpoint_id: parent }) } };
    await this.#saver.put(
      below,
      { ...checkpoint, channel_values: values },
      metadata,
      checkpoint.channel_versions,
    );
  }

  /** Returns the values with new seals in lists of messages; undefined if nothing changes. */
  async #sealedValues(
    values: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown> | undefined> {
    const sealed: Record<string, unknown> = {};
    for (const [channel, value] of Object.entries(values)) {
      if (!Array.isArray(value) || !value.every(isBaseMessage)) continue;
      const messages = await this.#sealed(value);
      if (messages !== undefined) sealed[channel] = messages;
    }
    return Object.keys(sealed).length === 0 ? undefined : { ...values, ...sealed };
  }

  /** Returns the messages with new seals on proven folds; undefined if there are none. */
  async #sealed(messages: readonly BaseMessage[]): Promise<readonly BaseMessage[] | undefined> {
    const opened = await Promise.all(
      messages.map(async (message) => {
        const fold = foldOf(message);
        return fold?.seal !== undefined && (await this.#isProven(fold)) ? withoutSeal(message) : message;
      }),
    );
    if (opened.every((message, index) => message === messages[index])) return undefined;
    return (await sealFolds({ messages: opened, folds: [] }, this.#seal)).messages;
  }

  async #isProven(fold: Fold): Promise<boolean> {
    const known = this.#proven.get(fold.id);
    if (known !== undefined) return known;
    const isProven = await this.#proof(fold);
    this.#proven.set(fold.id, isProven);
    return isProven;
  }

  async #proof({ record, path, covers, held }: Fold): Promise<boolean> {
    const file = record ?? path;
    if (held !== undefined || digestInName(file) === undefined) return false;
    try {
      const text = await this.#archive.readText(file);
      if (record === undefined) return true;
      const ids = messagesOfRecord(text, record).map((message) => message.id);
      return JSON.stringify(ids) === JSON.stringify(covers);
    } catch {
      return false;
    }
  }
}
