import { isEncrypted } from "@palimpsest/vfs/internal";
import { CheckpointError } from "../checkpoint-error.js";
import { Encoder } from "../codec/encoder.js";
import type { ListBody, Node } from "../codec/node.js";
import { isTagged, tag } from "../codec/node.js";
import { digestIn, kindOf } from "../codec/reference.js";
import { HostSerializer } from "../codec/special-values.js";
import { keyInThread } from "../engine.js";
import type { Engine, StoredTuple } from "../engine.js";
import { isDamage } from "../collection/readable-blobs.js";
import { loadBlobs } from "../collection/load-blobs.js";
import { TupleReader } from "../saver/tuple-reader.js";

/**
 * Yields values that the checkpoints of a thread determine, each with the id of its checkpoint: the values of channels, and the
 * pages of lists with a lost part, rebuilt from the list of the parent of the first checkpoint with that value and from the
 * parent's writes. The caller compares each with a digest.
 */
export async function* rebuildLists(
  engine: Engine,
  threadId: string,
  isLost: (digest: string) => boolean,
): AsyncGenerator<readonly [bytes: Uint8Array, checkpointId: string]> {
  const serializer = new HostSerializer();
  const reader = new TupleReader(engine, serializer.fromText);
  const load = async (digest: string): Promise<string | undefined> => {
    const [value] = (await loadBlobs(engine, threadId, [digest]).catch(onDamage)) ?? [];
    return value && isEncrypted(value.bytes) ? emptyPage : value?.text;
  };
  const lists = new Pages(load, isLost);
  const tuples = new Map<string, StoredTuple>();
  for await (const tuple of engine.listIntact(threadId, () => undefined))
    tuples.set(keyInThread(tuple), tuple);
  for (const tuple of tuples.values()) {
    const { namespace, id, parentId = "" } = tuple;
    // A checkpoint that did not change a value refers to it as its parent has it.
    for (const node of Object.values(tuple.checkpoint.channel_values))
      if (typeof node === "object" && node !== null) yield [Buffer.from(JSON.stringify(node)), id];
    const parent = tuples.get(keyInThread({ namespace, id: parentId }));
    if (!parent) continue;
    const broken: string[] = [];
    for (const [channel, node] of Object.entries(tuple.checkpoint.channel_values)) {
      const [pages, before] = [pagesOf(node), pagesOf(parent.checkpoint.channel_values[channel] ?? null)];
      if (pages !== undefined && pages !== before && (await lists.isBroken(pages))) broken.push(channel);
    }
    if (broken.length === 0) continue;
    const read = await reader.read(parent).catch(onDamage);
    for (const channel of read ? broken : []) {
      const list = listAfter(read?.checkpoint.channel_values[channel], {
        channel,
        writes: read?.pendingWrites ?? [],
      });
      const encoder = new Encoder(serializer.toText);
      const { blobs } = encoder.collect(() => encoder.encode(list));
      for (const bytes of blobs.values()) yield [bytes, parentId];
    }
  }
}

/** What an encrypted page counts as: no list is rebuilt without its key. */
const emptyPage = "[]";

/** Returns undefined for what cannot be read. */
function onDamage(error: unknown): undefined {
  const needsKey = CheckpointError.isInstance(error) && error.code === "missing-key";
  if (!needsKey && !isDamage(error)) throw error;
}

interface Writes {
  readonly channel: string;
  readonly writes: readonly (readonly [taskId: string, channel: string, value: unknown])[];
}

/** Returns a list with the writes to its channel appended. */
function listAfter(value: unknown, { channel, writes }: Writes): unknown[] {
  const written = writes.filter(([, name]) => name === channel).flatMap(([, , added]) => added);
  return [...(Array.isArray(value) ? (value as unknown[]) : []), ...written];
}

/** Returns the reference to the closed pages of a list. */
function pagesOf(node: Node): string | undefined {
  return isTagged(node) && node[tag] === "L" ? (node as unknown as ListBody).u : undefined;
}

/** Finds lists that lack a page. Reads each page once. */
class Pages {
  readonly #load: (digest: string) => Promise<string | undefined>;
  readonly #isLost: (digest: string) => boolean;
  readonly #known = new Map<string, boolean>();

  constructor(load: (digest: string) => Promise<string | undefined>, isLost: (digest: string) => boolean) {
    this.#load = load;
    this.#isLost = isLost;
  }

  /** Returns true if a page, a list of pages or anything below it is lost. */
  async isBroken(reference: string): Promise<boolean> {
    const known = this.#known.get(reference);
    if (known !== undefined) return known;
    const stored = this.#isLost(digestIn(reference)) ? undefined : await this.#load(digestIn(reference));
    let isBroken = stored === undefined;
    for (const below of pagesIn(stored)) isBroken ||= await this.isBroken(below);
    this.#known.set(reference, isBroken);
    return isBroken;
  }
}

/** Returns the references to the pages and lists of pages in the text of one of them. */
function pagesIn(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const stored = JSON.parse(text) as readonly Node[] | ListBody;
  const items = "v" in stored ? [...stored.v, stored.u ?? null] : stored;
  return items.filter((item) => typeof item === "string").filter((item) => "pl".includes(kindOf(item)));
}
