import { createHash, createHmac } from "node:crypto";

/** One piece of a request in order: content, or a reasoning block that is bound to what stands before it. */
export type PrefixItem =
  | { readonly type: "content"; readonly value: unknown }
  | { readonly type: "reasoning"; readonly path: string; readonly signature: string | undefined }
  /** Stands for everything before it: the chain goes on from where the server compacted. */
  | { readonly type: "compaction"; readonly chain: string }
  /** Names a place, to learn what stands before it. */
  | { readonly type: "place"; readonly id: string };

/** Why a reasoning block is not valid in a request. */
export type BindingFault = "prefix_binding_mismatch" | "model_binding_mismatch";

export interface InvalidReasoning {
  readonly path: string;
  readonly reason: BindingFault;
}

export interface PrefixOptions {
  readonly model: string;
  /** What stands before all messages: system prompt, tools. A compaction does not stand for it. */
  readonly base: unknown;
}

export interface CheckedPrefix {
  /** Digest of the base. */
  readonly base: string;
  /** Digest of all content, in which the next block is bound. */
  readonly chain: string;
  /** Digest of the newest reasoning block that is sent, which the next one records. */
  readonly newest: string | undefined;
  /** Reasoning blocks in the request. */
  readonly reasoning: number;
  readonly invalid: readonly InvalidReasoning[];
  /** Id of a place -> digest of the content before it. */
  readonly places: ReadonlyMap<string, string>;
}

interface Binding {
  /** Digest of what stands before all messages: system prompt, tools. */
  readonly base: string;
  readonly chain: string;
  readonly previous: string | undefined;
  readonly model: string;
}

/**
 * Signs reasoning blocks over their prefix and checks them when they come back.
 *
 * The published rule: a block is bound to every piece of content before it, and to the reasoning block before it. Blocks
 * may be missing from the front, never from the middle; after a mismatch every later block is invalid as well. A block of
 * another model is unreadable and no fault. Earlier reasoning is no part of the prefix.
 */
export class PrefixBinding {
  readonly #secret: string;

  constructor(secret = "local") {
    this.#secret = secret;
  }

  sign(binding: Binding): string {
    const payload = Buffer.from(JSON.stringify(binding)).toString("base64url");
    return `${payload}.${this.#mac(payload)}`;
  }

  check(items: readonly PrefixItem[], options: PrefixOptions): CheckedPrefix {
    const base = digest(canonicalJson(options.base));
    let chain = "";
    let newest: string | undefined;
    let isBroken = false;
    let reasoning = 0;
    const invalid: InvalidReasoning[] = [];
    const places = new Map<string, string>();
    for (const item of items) {
      if (item.type === "content") chain = digest(chain + canonicalJson(item.value));
      if (item.type === "compaction") ({ chain } = item);
      if (item.type === "place") places.set(item.id, chain);
      if (item.type !== "reasoning") continue;
      reasoning++;
      const binding = this.#read(item.signature);
      const isOther = binding !== undefined && binding.model !== options.model;
      const follows = newest === undefined || binding?.previous === newest;
      newest = digest(item.signature ?? "");
      if (isOther) {
        invalid.push({ path: item.path, reason: "model_binding_mismatch" });
        continue;
      }
      isBroken ||= binding?.base !== base || binding.chain !== chain || !follows;
      if (isBroken) invalid.push({ path: item.path, reason: "prefix_binding_mismatch" });
    }
    return { base, chain, newest, reasoning, invalid, places };
  }

  #read(signature: string | undefined): Binding | undefined {
    const [payload = "", mac] = signature?.split(".") ?? [];
    if (mac !== this.#mac(payload)) return undefined;
    return JSON.parse(Buffer.from(payload, "base64url").toString()) as Binding;
  }

  #mac(payload: string): string {
    return createHmac("sha256", this.#secret).update(payload).digest("base64url");
  }
}

/** Returns JSON with sorted keys and without `cache_control`, which providers leave out of what they compare. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === "cache_control") return undefined;
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Estimated tokens of a value on the wire: four characters each. */
export function wireTokens(value: unknown): number {
  return Math.ceil(canonicalJson(value).length / 4);
}
