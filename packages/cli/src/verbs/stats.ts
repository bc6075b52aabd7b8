import { hash } from "node:crypto";
import { statSync } from "node:fs";
import type { BaseMessage } from "@langchain/core/messages";
import type { Size, VfsSaver } from "@palimpsest/checkpoint";
import { toStoredMessage } from "@palimpsest/context";
import { mainNamespace, sizeOfThread } from "@palimpsest/inspector";
import type { Files } from "@palimpsest/vfs";
import { DamagedRecords } from "../damaged-records.js";
import { isPostgres } from "../open-storage.js";
import { count, oneLine, renderTable, wrapped } from "../terminal-text.js";
import { columnsOf, type Verb } from "../verb.js";

interface ThreadStats {
  readonly thread: string;
  readonly checkpoints: number;
  /** Bytes of the messages of all checkpoints, as JSON, if each checkpoint held a copy of its messages. */
  readonly repeated: number;
  /** Bytes of the same messages, each counted once. */
  readonly once: number;
  /** Bytes of the files of the newest workspace. */
  readonly workspace: number;
  readonly archive: number;
}

/** Counts bytes by thread and kind. */
export const stats: Verb = {
  name: "stats",
  description:
    "Count the bytes of each thread and of the storage by kind, and the bytes saved by storing each message once",
  args: [],
  options: [],
  async run({ saver, target, progress, notice, terminal }) {
    const threads: ThreadStats[] = [];
    const damaged = new DamagedRecords(notice);
    for (const thread of await saver.threads()) {
      progress(`counting ${oneLine(thread, 60)}`);
      await statsOf(saver, thread).then(
        (counted) => void threads.push(counted),
        (error: unknown) => damaged.addThread(thread, { error, target }),
      );
    }
    const { erased, disk: _, ...kinds } = await saver.sizes();
    const stored = isPostgres(target) ? undefined : sizeOnDisk(target);
    const head = ["thread", "checkpoints", "messages repeated", "messages once", "workspace", "archive"];
    const cells = threads.map(({ thread, checkpoints, repeated, once, workspace, archive }) => [
      oneLine(thread, 60),
      checkpoints,
      repeated,
      once,
      workspace,
      archive,
    ]);
    const size = columnsOf({ terminal });
    const file =
      stored === undefined ? "" : `The file has ${count(stored)} bytes on disk, with compression.\n`;
    const [repeated, once] = [total(threads, "repeated"), total(threads, "once")];
    const share = repeated === 0 ? 0 : Math.round(100 * (1 - once / repeated));
    const text = `bytes before compression; repeated: if each checkpoint held its own messages, once: as they are stored
Storing each message once takes ${count(once)} bytes instead of ${count(repeated)}: ${share} % less.
`;
    return {
      data: { bytes: stored, threads, kinds, erased },
      text: renderTable(head, cells, size) + wrapped(text + file, size) + kindsText(kinds, size),
      isFailure: damaged.count > 0,
    };
  },
};

/** Returns a table of what the whole storage holds. */
function kindsText(kinds: Readonly<Record<string, unknown>>, size: ReturnType<typeof columnsOf>): string {
  const rows = Object.entries(kinds as Readonly<Record<string, Size>>);
  const cells = rows.map(([kind, { rows: number, bytes }]) => [kind, number, bytes]);
  return `\n${renderTable(["in the storage", "rows", "bytes"], cells, size)}`;
}

function total(threads: readonly ThreadStats[], name: "repeated" | "once"): number {
  return threads.reduce((sum, thread) => sum + thread[name], 0);
}

/** Returns the size of the file with its write-ahead log, which holds the newest writes. */
function sizeOnDisk(path: string): number {
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function statsOf(saver: VfsSaver, thread: string): Promise<ThreadStats> {
  const { checkpoints, archiveBytes: archive } = await sizeOfThread(saver, thread);
  // By digest of the message.
  const sizes = new Map<string, number>();
  const known = new WeakMap<BaseMessage, number>();
  let [repeated, workspace]: [number, number | undefined] = [0, undefined];
  for await (const { checkpoint } of saver.history(thread, await mainNamespace(saver, thread))) {
    const { messages, files } = checkpoint.channel_values;
    workspace ??= workspaceBytes((files ?? {}) as Files);
    for (const message of Array.isArray(messages) ? (messages as BaseMessage[]) : []) {
      const size = known.get(message) ?? sizeOf(message, sizes);
      known.set(message, size);
      repeated += size;
    }
  }
  const once = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { thread, checkpoints, repeated, once, workspace: workspace ?? 0, archive };
}

function sizeOf(message: BaseMessage, sizes: Map<string, number>): number {
  const json = JSON.stringify(toStoredMessage(message));
  const size = Buffer.byteLength(json);
  sizes.set(hash("sha256", json), size);
  return size;
}

function workspaceBytes(files: Files): number {
  return Object.values(files).reduce((sum, { size }) => sum + size, 0);
}
