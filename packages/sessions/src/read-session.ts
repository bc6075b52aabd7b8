import { formats } from "./formats/index.js";
import { readRecords, type RawRecord } from "./records.js";
import { SessionError } from "./session-error.js";
import type { ReadValue, SessionFormat, SessionRecord } from "./session-event.js";

export interface ReadSessionOptions {
  /** The name of the file, for errors. @default "The input" */
  readonly name?: string;
  /** Called once, with the format of the file, before the first record. */
  readonly onFormat?: (format: SessionFormat) => void;
}

/** Records that are looked at before a file counts as no session. */
const lookedAt = 200;
/** Bytes that are looked at. */
const bytesLookedAt = 16 * 1024 * 1024;

/**
 * Yields the records of a session with what they say. The format is recognized by the first records. The bytes of all records
 * together are those of the file, in order; every record has at least one event.
 *
 * @throws SessionError `not-a-session` if no record is of a known format, `empty` if there is none.
 */
export async function* readSession(
  chunks: AsyncIterable<Uint8Array>,
  { name = "The input", onFormat }: ReadSessionOptions = {},
): AsyncGenerator<SessionRecord> {
  let read: ReadValue | undefined;
  let waiting: RawRecord[] = [];
  let size = 0;
  for await (const record of readRecords(chunks)) {
    if (read === undefined) {
      waiting.push(record);
      size += record.bytes.length;
      const format = formats.find(({ detects }) => record.value !== undefined && detects(record.value));
      if (format === undefined) {
        if (waiting.length >= lookedAt || size >= bytesLookedAt) throw noSession(name, waiting);
        continue;
      }
      onFormat?.(format);
      read = format.open();
      for (const one of waiting) yield withEvents(one, read);
      waiting = [];
    } else yield withEvents(record, read);
  }
  if (read === undefined) throw noSession(name, waiting);
}

function withEvents(record: RawRecord, read: ReadValue): SessionRecord {
  const { place, bytes, value, problem, isUnfinished = false } = record;
  if (problem !== undefined) {
    const events = [{ kind: "broken" as const, why: problem }];
    return { place, bytes, events, ...(isUnfinished ? { isUnfinished } : {}) };
  }
  if (value === undefined) {
    const what = record.isRest === true ? "more of a line that is too long" : "empty line";
    return { place, bytes, events: [{ kind: "note", what }] };
  }
  const events = read(value, place);
  return { place, bytes, events: events.length > 0 ? events : [{ kind: "note", what: "empty record" }] };
}

function noSession(name: string, records: readonly RawRecord[]): SessionError {
  if (records.every(({ value, problem }) => value === undefined && problem === undefined))
    return new SessionError("empty", `${name} is empty: it holds no session.`);
  const known = [...new Set(formats.map(({ agent }) => agent))].join(", ");
  const first = records.find(({ problem }) => problem !== undefined);
  const reason =
    first === undefined ? "no line is a record of one" : `line ${first.place.line}: ${first.problem}`;
  return new SessionError("not-a-session", `${name} is no session of ${known}: ${reason}.`);
}
