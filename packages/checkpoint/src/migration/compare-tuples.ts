import type { CheckpointMetadata, CheckpointTuple, PendingWrite } from "@langchain/langgraph-checkpoint";
import { isDeepStrictEqual } from "node:util";
import { HostSerializer } from "../codec/special-values.js";

/** Replaces missing metadata of a source. */
export const absentMetadata: CheckpointMetadata = { source: "fork", step: -1, parents: {} };

/** Compares the checkpoints of two savers. An object is serialized once, however many checkpoints hold it. */
export class TupleComparison {
  readonly #serializer = new HostSerializer();
  readonly #messages = new WeakMap<object, SerializedMessage>();

  /** Returns true if both tuples have equal JSON, in any order of keys and of the writes of different tasks. */
  isSame(tuple: CheckpointTuple, other: CheckpointTuple): boolean {
    const [one, two] = [partsOf(tuple), partsOf(other)];
    if (isDeepStrictEqual(this.#comparable(one), this.#comparable(two))) return true;
    // Compare the JSON forms, because a saver may return a date as a text, and -0 as 0.
    return isDeepStrictEqual(this.#plain(one), this.#plain(two));
  }

  /** Returns a value in which every part that is not a plain object or an array is serialized. */
  #comparable(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((part) => this.#comparable(part));
    if ("lc_serializable" in value) return this.#message(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    const isData = (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
    if (!isData) return this.#plain(value);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, this.#comparable(part)]));
  }

  #message(message: object): SerializedMessage {
    const known = this.#messages.get(message);
    if (known) return known;
    const serialized = new SerializedMessage(JSON.stringify(sorted(this.#plain(message))));
    this.#messages.set(message, serialized);
    return serialized;
  }

  #plain(value: object): unknown {
    return JSON.parse(this.#serializer.toText(value));
  }
}

/** A serialized part. It has a class of its own, so that no data of a thread equals it. */
class SerializedMessage {
  constructor(readonly text: string) {}
}

/** Returns the parts that must be equal in both savers, without the order of writes of different tasks. Pure. */
function partsOf(tuple: CheckpointTuple): object {
  const { checkpoint, metadata = absentMetadata, pendingWrites = [] } = tuple;
  const { channel_values, channel_versions: versions, ...rest } = checkpoint;
  // A channel without a version was never written: some savers store its default, others leave it out.
  const versioned = Object.entries(channel_values).filter(([channel]) => versions[channel] !== undefined);
  const values = Object.fromEntries(versioned);
  const writes = Object.fromEntries(byTask(pendingWrites));
  return { ...rest, values, versions, writes, metadata, parent: parentOf(tuple) };
}

/** Returns the id of the checkpoint that this one follows. Pure. */
export function parentOf({ parentConfig }: CheckpointTuple): string | undefined {
  return parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
}

/** Returns writes by the id of their task. Pure. */
export function byTask(
  writes: readonly [taskId: string, channel: string, value: unknown][],
): Map<string, PendingWrite[]> {
  const tasks = new Map<string, PendingWrite[]>();
  for (const [taskId, channel, value] of writes)
    tasks.set(taskId, [...(tasks.get(taskId) ?? []), [channel, value]]);
  return tasks;
}

/** Returns JSON data with the keys of its objects in one order. Pure. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, part]): [string, unknown] => [key, sorted(part)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
