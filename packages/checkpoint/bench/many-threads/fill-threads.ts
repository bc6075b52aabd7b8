import { Client } from "pg";
import { checksumOf } from "../../src/codec/packing/checksum.js";
import { fromKey } from "../../src/engines/postgres/postgres-rows.js";
import { VfsSaver } from "../../src/index.js";
import { writeThread } from "./write-thread.js";

/** Threads of one statement. */
const atOnce = 500;

const template = "user-0000/thread-0000000";

/** Bytes before the packed part of a row: a mark and the checksum, which covers the id of the thread. */
const headBytes = 5;

/** Copies the values of the thread `$2` for new threads with the names `$1`. */
const valuesSql = `
  WITH created AS (
    INSERT INTO palimpsest_threads (name, epoch) SELECT name, 1 FROM unnest($1::text[]) AS name RETURNING id
  ) INSERT INTO palimpsest_entries (thread, kind, namespace, id, task, parent, data)
  SELECT created.id, kind, namespace, value.id, task, parent, data FROM created, palimpsest_entries AS value
  WHERE value.thread = $2 AND kind = 'b'`;

/** Copies the checkpoints of the thread `$2` with the heads `$4` of their rows for the threads `$1`. */
const checkpointsSql = `
  INSERT INTO palimpsest_entries (thread, kind, namespace, id, task, parent, data)
  SELECT target.id, kind, namespace, source.id, task, parent, decode(head, 'hex') || substr(data, ${headBytes + 1})
  FROM unnest($1::text[], $3::bytea[], $4::text[]) AS row (name, id, head)
  JOIN palimpsest_threads AS target USING (name)
  JOIN palimpsest_entries AS source ON source.thread = $2 AND kind = 'c' AND source.id = row.id`;

/**
 * Fills a Postgres database of a `VfsSaver` with threads as `writeThread` writes them, many times faster: the saver writes one, and
 * the others get copies of its rows with checksums of their own. Reads the last one as a proof, and deletes the first.
 */
export async function fillThreads(url: string, names: readonly string[], steps: number): Promise<void> {
  const saver = await VfsSaver.fromPostgres(url);
  await writeThread(saver, template, steps);
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ thread: string; id: Buffer; parent: Buffer | null; data: Buffer }>(
    `SELECT thread, entry.id, parent, data FROM palimpsest_threads AS threads
     JOIN palimpsest_entries AS entry ON thread = threads.id WHERE name = $1 AND kind = 'c'`,
    [template],
  );
  for (let at = 0; at < names.length; at += atOnce) {
    const some = names.slice(at, at + atOnce);
    await client.query({ name: "values", text: valuesSql, values: [some, rows[0]?.thread] });
    const heads = some.flatMap((name) =>
      rows.map(
        ({ id, parent, data }) =>
          [name, id, headOf(data, [name, "", fromKey(id), parent && fromKey(parent)])] as const,
      ),
    );
    const columns = [0, 1, 2].map((column) => heads.map((row) => row[column]));
    await client.query({
      name: "checkpoints",
      text: checkpointsSql,
      values: [columns[0], rows[0]?.thread, columns[1], columns[2]],
    });
  }
  await saver.deleteThread(template);
  // As autovacuum does soon after.
  await client.query("VACUUM ANALYZE");
  await client.end();
  const last = await saver.getTuple({ configurable: { thread_id: names.at(-1) } });
  const messages = last?.checkpoint.channel_values["messages"] as readonly unknown[] | undefined;
  if (messages?.length !== steps) throw new Error(`The filled thread ${names.at(-1)} is not whole`);
  await saver.close();
}

/** Returns the head of a row in another thread, in hexadecimal. */
function headOf(data: Buffer, place: Parameters<typeof checksumOf>[0]): string {
  const head = Buffer.from(data.subarray(0, headBytes));
  head.writeUInt32LE(checksumOf(place, data.subarray(headBytes)), 1);
  return head.toString("hex");
}
