// Starts threads at a given moment and prints a seal of each. The test of keys runs two of it as processes.
import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { DirectoryDriver, VirtualFilesystem, type FileDriver } from "@palimpsest/vfs";
import { StoreDriver } from "../drivers/store-driver.js";
import { VfsSaver } from "../saver/vfs-saver.js";

/** Where the files of threads are. */
export type KeyStorage =
  | { readonly directory: string }
  | { readonly sqlite: string }
  | { readonly postgres: string }
  | { readonly store: string };

/** Opens the storage, runs `work` with its driver, and closes it. */
export async function withDriver<T>(
  storage: KeyStorage,
  work: (driver: FileDriver) => Promise<T>,
): Promise<T> {
  if ("directory" in storage) return work(new DirectoryDriver(storage.directory));
  if ("store" in storage) {
    const store = PostgresStore.fromConnString(storage.store);
    await store.setup();
    return work(new StoreDriver(store)).finally(async () => store.stop());
  }
  const saver =
    "sqlite" in storage ? VfsSaver.fromPath(storage.sqlite) : await VfsSaver.fromPostgres(storage.postgres);
  return work(saver.files.driver).finally(async () => saver.close());
}

interface KeyWriterOptions {
  readonly storage: KeyStorage;
  readonly threads: readonly string[];
  /** Milliseconds since the epoch, when both processes are ready. */
  readonly startAt: number;
}

/** Returns a seal of each thread. */
async function startThreads({ storage, threads, startAt }: KeyWriterOptions): Promise<readonly string[]> {
  return withDriver(storage, async (driver) => {
    const files = new VirtualFilesystem({ driver });
    await driver.stat("/threads/none");
    await new Promise((resolve) => setTimeout(resolve, startAt - Date.now()));
    const seals: string[] = [];
    for (const thread of threads) seals.push((await files.seal(thread).signer())("fold", thread));
    return seals;
  });
}

const given = process.argv[2];
if (given !== undefined && process.argv[1]?.endsWith("key-writer.js") === true)
  process.stdout.write(JSON.stringify(await startThreads(JSON.parse(given) as KeyWriterOptions)));
