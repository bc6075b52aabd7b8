import { randomInt } from "node:crypto";
import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { Encoder } from "../codec/encoder.js";
import type { Node } from "../codec/node.js";
import { isForeign } from "../codec/node.js";
import type { EncodedCheckpoint, EncodedWrite } from "../engine.js";

/** An unchanged value with longer JSON, in characters, becomes a blob instead of being repeated in each checkpoint. */
const inheritedThreshold = 64;

/** An existing node for a channel's value, or "encode" for a new one. */
export type ChannelSource = { readonly node: Node } | "encode";

export interface ChannelSourcesOptions {
  readonly checkpoint: Checkpoint;
  readonly newVersions: ChannelVersions;
  /** The checkpoint that this one follows; null if that was deleted. */
  readonly parent: EncodedCheckpoint | undefined | null;
  /** Returns the node of a channel at a version from another recent checkpoint of the namespace. */
  readonly recentValue: (channel: string, version: number | string) => Node | undefined;
}

/**
 * Returns the source of the node of each channel to store. A channel without a new version reuses the node that was stored with
 * its version. Without such a node it is encoded if the checkpoint has a parent, even one that was pruned meanwhile, and is not
 * stored if it has none. Pure.
 */
export function channelSources({
  checkpoint,
  newVersions,
  parent,
  recentValue,
}: ChannelSourcesOptions): ReadonlyMap<string, ChannelSource> {
  const sources = new Map<string, ChannelSource>();
  for (const channel of Object.keys(checkpoint.channel_values)) {
    const version = checkpoint.channel_versions[channel];
    if (Object.hasOwn(newVersions, channel)) {
      sources.set(channel, "encode");
      continue;
    }
    const node = inherited(channel, version, parent) ?? recentOf(channel, version, recentValue);
    if (node !== undefined) sources.set(channel, { node });
    else if (parent !== undefined) sources.set(channel, "encode");
  }
  return sources;
}

function inherited(
  channel: string,
  version: unknown,
  parent: ChannelSourcesOptions["parent"],
): Node | undefined {
  if (!parent || version === undefined || parent.channel_versions[channel] !== version) return undefined;
  const node = Object.hasOwn(parent.channel_values, channel) ? parent.channel_values[channel] : undefined;
  return node !== undefined && isForeign(node) ? undefined : node;
}

/** A whole number is a version of another saver: two branches may have the same one for different values. */
function recentOf(
  channel: string,
  version: number | string | undefined,
  recentValue: ChannelSourcesOptions["recentValue"],
): Node | undefined {
  return version === undefined || Number.isInteger(version) ? undefined : recentValue(channel, version);
}

/** Returns the versions of the channels whose values are encoded. Pure. */
export function versionsOf(
  checkpoint: Checkpoint,
  { sources, trusted }: Pick<EncodeCheckpointOptions, "sources" | "trusted">,
): ChannelVersions {
  const versions: ChannelVersions = {};
  for (const [channel, source] of sources) {
    const version = checkpoint.channel_versions[channel];
    if ((source === "encode" || !trusted) && version !== undefined) versions[channel] = version;
  }
  return versions;
}

export interface EncodeCheckpointOptions {
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  readonly sources: ReadonlyMap<string, ChannelSource>;
  /** Whether the blobs of earlier nodes are known to be stored. */
  readonly trusted: boolean;
}

/** Encodes a checkpoint and its metadata. */
export function encodeCheckpoint(
  encoder: Encoder,
  { checkpoint, metadata, sources, trusted }: EncodeCheckpointOptions,
): { readonly checkpoint: EncodedCheckpoint; readonly metadata: Record<string, Node> } {
  const values: [string, Node][] = [];
  for (const [channel, source] of sources) {
    const value = checkpoint.channel_values[channel];
    const node =
      source === "encode" || !trusted
        ? encoder.encode(value)
        : encoder.shorten(source.node, inheritedThreshold);
    values.push([channel, node]);
  }
  return {
    checkpoint: { ...checkpoint, channel_values: Object.fromEntries(values) },
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([key, value]) => [key, encoder.encode(value)]),
    ),
  };
}

/** Encodes the writes of a task. Special channels have fixed indexes below zero. */
export function encodeWrites(encoder: Encoder, writes: readonly PendingWrite[]): EncodedWrite[] {
  return writes.map(([channel, value], position) => ({
    index: WRITES_IDX_MAP[channel] ?? position,
    channel,
    value: encoder.encode(value),
  }));
}

const versionFractions = 1_000_000;

/**
 * Returns the next version of a channel: the next whole number plus a random fraction. Two branches of a fork count up from the
 * same version, and a saver that stores values by version would confuse them.
 */
export function nextVersion(current: number | undefined): number {
  return Math.floor(current ?? 0) + 1 + randomInt(1, versionFractions) / versionFractions;
}
