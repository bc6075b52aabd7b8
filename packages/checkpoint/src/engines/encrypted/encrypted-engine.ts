import { FileError } from "@palimpsest/vfs";
import {
  decryptContent,
  isEncrypted,
  readHead,
  type ContentKey,
  type KeyRing,
} from "@palimpsest/vfs/internal";
import { CheckpointError } from "../../checkpoint-error.js";
import type { Encryption } from "../../codec/encryption/encrypt-blob.js";
import { decryptNode, keyIdOf } from "../../codec/encryption/encrypt-node.js";
import { unpackAll } from "../../codec/packing/unpack-all.js";
import type { Unpacked } from "../../codec/packing/unpacked.js";
import type {
  Batch,
  BatchResult,
  BlobsOptions,
  CheckpointKey,
  EarlyWrite,
  Engine,
  ListQuery,
  OnDamage,
  PrunePolicy,
  PruneResult,
  Rewrite,
  StoredTuple,
} from "../../engine.js";
import type { Stored } from "../../codec/packing/bundle.js";
import { decryptTuple, encryptCheckpoint, encryptWrites, keyIdsOf } from "./encrypt-tuple.js";

export interface EncryptedEngineOptions {
  readonly ring: KeyRing;
  /** Whether nodes are compressed before. */
  readonly compress: boolean;
}

/**
 * Encrypts checkpoints and writes on their way into another engine, and decrypts them on their way out. Blobs come encrypted, under the
 * digest of their encrypted bytes, and `open` decrypts them, so the other engine checks, collects and copies them without a key.
 */
export class EncryptedEngine implements Engine {
  readonly name: string;
  /** The engine with the encrypted parts. */
  readonly stored: Engine;
  readonly #options: EncryptedEngineOptions;
  readonly together?: NonNullable<Engine["together"]>;
  readonly checkIndexes?: NonNullable<Engine["checkIndexes"]>;
  readonly resume?: NonNullable<Engine["resume"]>;
  readonly scrub?: NonNullable<Engine["scrub"]>;

  constructor(stored: Engine, options: EncryptedEngineOptions) {
    this.name = stored.name;
    this.stored = stored;
    this.#options = options;
    if (stored.together) this.together = async (work) => stored.together?.(work) ?? work();
    if (stored.checkIndexes) this.checkIndexes = async (onDamage) => stored.checkIndexes?.(onDamage);
    if (stored.resume) this.resume = async () => stored.resume?.();
    if (stored.scrub) this.scrub = async () => stored.scrub?.();
  }

  async commit({ checkpoint, writes, ...batch }: Batch): Promise<BatchResult> {
    if (!checkpoint && !writes) return this.stored.commit(batch);
    const how = await this.#encryption(batch.threadId);
    return this.stored.commit({
      ...batch,
      ...(checkpoint ? { checkpoint: encryptCheckpoint(checkpoint, how) } : {}),
      ...(writes ? { writes: encryptWrites(writes, how) } : {}),
    });
  }

  async rewrite({ checkpoints, writes, ...rewrite }: Rewrite): Promise<void> {
    const how = await this.#encryption(rewrite.threadId);
    await this.stored.rewrite({
      ...rewrite,
      checkpoints: checkpoints.map((checkpoint) => encryptCheckpoint(checkpoint, how)),
      writes: writes.map((each) => encryptWrites(each, how)),
    });
  }

  async read(
    key: Omit<CheckpointKey, "id"> & { readonly id?: string },
  ): Promise<{ tuple: StoredTuple | undefined; epoch: string | undefined }> {
    const { tuple, epoch } = await this.stored.read(key);
    return { tuple: tuple && (await this.#decrypted(tuple)), epoch };
  }

  async *list(query: ListQuery): AsyncIterable<StoredTuple> {
    for await (const tuple of this.stored.list(query)) yield this.#decrypted(tuple);
  }

  /** Reports a checkpoint that cannot be decrypted as damaged. */
  async *listIntact(threadId: string, onDamage: OnDamage): AsyncIterable<StoredTuple> {
    for await (const tuple of this.stored.listIntact(threadId, onDamage)) {
      const decrypted = await this.#decrypted(tuple).catch((error: unknown) => {
        if (!CheckpointError.isInstance(error) || error.code !== "corrupt") throw error;
        onDamage({ threadId, id: tuple.id, error });
        return undefined;
      });
      if (decrypted) yield decrypted;
    }
  }

  async blobs(
    threadId: string,
    digests: readonly string[],
    options?: BlobsOptions,
  ): Promise<ReadonlyMap<string, Stored>> {
    return this.stored.blobs(threadId, digests, options);
  }

  /** Returns loaded blobs decrypted. */
  async open(values: readonly Unpacked[]): Promise<readonly Unpacked[]> {
    const encrypted = values.map(({ bytes }) => (isEncrypted(bytes) ? bytes : undefined));
    if (encrypted.every((bytes) => bytes === undefined)) return values;
    return withCheckpointErrors(async () => {
      const keys = await this.#keys(encrypted.flatMap((bytes) => (bytes ? [keyIdIn(bytes)] : [])));
      const packed = encrypted.flatMap((bytes) =>
        bytes ? [decryptContent(bytes, keys.get(keyIdIn(bytes)) as ContentKey)] : [],
      );
      const unpacked = await unpackAll(packed);
      let at = 0;
      return values.map((value, index) => (encrypted[index] ? (unpacked[at++] as Unpacked) : value));
    });
  }

  async *early(): AsyncIterable<EarlyWrite> {
    for await (const write of this.stored.early()) {
      const id = keyIdOf(write.value);
      if (id === undefined) yield write;
      else
        yield await withCheckpointErrors(async () => ({
          ...write,
          value: decryptNode(write.value, await this.#keys([id])),
        }));
    }
  }

  async threads(onDamage?: OnDamage): Promise<readonly string[]> {
    return this.stored.threads(onDamage);
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.stored.deleteThread(threadId);
  }

  async prune(threadId: string, policy: PrunePolicy): Promise<PruneResult> {
    return this.stored.prune(threadId, policy);
  }

  async close(): Promise<void> {
    await this.stored.close();
  }

  async #encryption(threadId: string): Promise<Encryption> {
    const { ring, compress } = this.#options;
    return { key: await withCheckpointErrors(async () => ring.keyOf(threadId)), compress };
  }

  async #decrypted(tuple: StoredTuple): Promise<StoredTuple> {
    const ids = keyIdsOf(tuple);
    if (ids.size === 0) return tuple;
    return withCheckpointErrors(async () => decryptTuple(tuple, await this.#keys(ids)));
  }

  async #keys(ids: Iterable<string>): Promise<ReadonlyMap<string, ContentKey>> {
    const keys = new Map<string, ContentKey>();
    for (const id of new Set(ids)) keys.set(id, await this.#options.ring.key(id));
    return keys;
  }
}

function keyIdIn(bytes: Uint8Array): string {
  return readHead(bytes)?.keyId ?? "";
}

/** Runs `work`; what it throws about keys and encrypted contents is thrown as the error of this package. */
export async function withCheckpointErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw encryptionError(error);
  }
}

/** Returns what is thrown for an error about keys and encrypted contents. Pure. */
export function encryptionError(error: unknown): unknown {
  if (!FileError.isInstance(error)) return error;
  const { code, message } = error;
  if (code === "corrupt" || code === "missing-key" || code === "busy")
    return new CheckpointError(code, message, { cause: error });
  return code === "invalid-key" ? new CheckpointError("bad-option", message, { cause: error }) : error;
}
