import { randomUUID } from "node:crypto";
import type { FileDriver } from "@palimpsest/vfs";

/** The directory with a file for each erasure. It holds no ids: an erasure may concern the name of a user. */
const directory = "/erasures";

/** What was erased from a storage so far. */
export interface ErasureTotals {
  readonly erasures: number;
  /** Threads in which something was erased, or that were erased whole, in each erasure. */
  readonly threads: number;
  readonly texts: number;
  readonly bytes: number;
}

/** Notes an erasure that has changed something, with its date and its reason. */
export async function logErasure(
  driver: FileDriver,
  tombstone: string,
  threads: readonly Pick<ErasureTotals, "texts" | "bytes">[],
): Promise<void> {
  if (threads.length === 0) return;
  const sumOf = (name: "texts" | "bytes") => threads.reduce((sum, thread) => sum + thread[name], 0);
  const record = { tombstone, threads: threads.length, texts: sumOf("texts"), bytes: sumOf("bytes") };
  const path = `${directory}/${new Date().toISOString().replaceAll(":", "-")}-${randomUUID()}.json`;
  await driver.write(path, Buffer.from(JSON.stringify(record)));
}

/** Returns what the noted erasures have erased. */
export async function erasureTotals(driver: FileDriver): Promise<ErasureTotals> {
  const totals = { erasures: 0, threads: 0, texts: 0, bytes: 0 };
  for await (const { path } of driver.list(directory)) {
    const bytes = await driver.read(path);
    if (bytes === undefined) continue;
    const { threads, texts, bytes: size } = JSON.parse(Buffer.from(bytes).toString()) as ErasureTotals;
    totals.erasures += 1;
    totals.threads += threads;
    totals.texts += texts;
    totals.bytes += size;
  }
  return totals;
}
