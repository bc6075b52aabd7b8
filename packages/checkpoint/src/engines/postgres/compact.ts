import type {
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { Node } from "../../codec/node.js";
import { pack, unpack } from "../../codec/packing/pack.js";
import { fromText, fromWriteText, toText, toWriteText } from "../wrapped/saver-tuples.js";
import { fromAscii, toAscii } from "./ascii.js";

/** The channel of the row in which a task's writes stand. */
const writesChannel = "@";

/** What it was called in version 1 of the database, in which a checkpoint was base64 under the key `packed`. */
const firstWritesChannel = "@writes";

type PackedCheckpoint = [Omit<Checkpoint, "v" | "id">, CheckpointMetadata];
type PackedWrites = [channel: string, taskPath: string, value: Node][];

/** Returns a checkpoint that is a column or two where it is stored, with its metadata. */
export function compactCheckpoint(checkpoint: Checkpoint, metadata: CheckpointMetadata): Checkpoint {
  const { v, id, channel_values: texts, ...rest } = checkpoint;
  const values = mapValues(texts, fromText);
  const packed = packOf([{ ...rest, channel_values: values }, metadata] satisfies PackedCheckpoint);
  const stored: object = { v, p: toAscii(packed) };
  // The id has a column of its own: it is asked for, and not to be stored again.
  return Object.defineProperty(stored, "id", { value: id, enumerable: false }) as Checkpoint;
}

/** Returns a task's writes as one. */
export function compactWrites(writes: readonly PendingWrite[]): PendingWrite {
  const packed = writes.map(([channel, text]): PackedWrites[number] => {
    const { taskPath, value } = fromWriteText(text);
    return [channel, taskPath, value];
  });
  return [writesChannel, packOf(packed)];
}

/** Returns a tuple as it was before it was made compact; one that was not, as it is. */
export function expandTuple(tuple: CheckpointTuple): CheckpointTuple {
  const { checkpoint, pendingWrites = [] } = tuple;
  const expanded = { ...tuple, pendingWrites: pendingWrites.flatMap(expandWrites) };
  const packed = packedIn(checkpoint);
  if (!packed) return expanded;
  const [rest, metadata]: PackedCheckpoint = JSON.parse(textIn(packed));
  const id: string = tuple.config.configurable?.["checkpoint_id"];
  const values = mapValues(rest.channel_values as Record<string, Node>, toText);
  return { ...expanded, checkpoint: { v: checkpoint.v, id, ...rest, channel_values: values }, metadata };
}

function packedIn(checkpoint: object): Buffer | undefined {
  if ("p" in checkpoint && typeof checkpoint.p === "string") return fromAscii(checkpoint.p);
  if ("packed" in checkpoint && typeof checkpoint.packed === "string")
    return Buffer.from(checkpoint.packed, "base64");
  return undefined;
}

function expandWrites(write: CheckpointPendingWrite): CheckpointPendingWrite[] {
  const [taskId, channel, bytes] = write;
  const isPacked = channel === writesChannel || channel === firstWritesChannel;
  if (!isPacked || !(bytes instanceof Uint8Array)) return [write];
  const writes: PackedWrites = JSON.parse(textIn(bytes));
  return writes.map(([each, taskPath, value]) => [taskId, each, toWriteText({ taskPath, value })]);
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function packOf(value: unknown): Buffer {
  return pack(Buffer.from(JSON.stringify(value)));
}

function textIn(bytes: Uint8Array): string {
  return unpack(bytes).toString();
}
