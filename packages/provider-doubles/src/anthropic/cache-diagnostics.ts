import { canonicalJson, digest, wireTokens } from "../prefix-binding.js";
import { turnsOf, type MessagesRequest } from "./wire.js";

interface Fingerprint {
  readonly model: string;
  readonly system: string;
  readonly tools: string;
  /** One digest for each block of the messages. */
  readonly blocks: readonly string[];
}

/**
 * Compares a request with an earlier one, as the provider documents it: the first difference in the order model, system
 * prompt, tools, messages, with an estimate of the tokens behind it. Requests without `diagnostics` leave no fingerprint.
 */
export class CacheDiagnostics {
  readonly #made = new Map<string, Fingerprint>();

  /** Returns the `diagnostics` of a response, and remembers its request. */
  of(request: MessagesRequest, id: string): { readonly diagnostics?: unknown } {
    const { diagnostics } = request;
    if (diagnostics === undefined) return {};
    const fingerprint = fingerprintOf(request);
    this.#made.set(id, fingerprint);
    const previous = diagnostics.previous_message_id ?? undefined;
    if (previous === undefined) return { diagnostics: null };
    const before = this.#made.get(previous);
    if (before === undefined) return { diagnostics: miss("previous_message_not_found") };
    const total = wireTokens([request.system ?? "", request.tools ?? [], request.messages]);
    const changed = (["model", "system", "tools"] as const).find(
      (part) => before[part] !== fingerprint[part],
    );
    if (changed !== undefined) return { diagnostics: miss(`${changed}_changed`, total) };
    const at = before.blocks.findIndex((block, index) => block !== fingerprint.blocks[index]);
    if (at < 0) return { diagnostics: null };
    const behind = turnsOf(request.messages)
      .flatMap(({ blocks }) => blocks)
      .slice(at);
    return { diagnostics: miss("messages_changed", wireTokens(behind)) };
  }
}

function miss(type: string, tokens?: number) {
  return {
    cache_miss_reason: { type, ...(tokens === undefined ? {} : { cache_missed_input_tokens: tokens }) },
  };
}

function fingerprintOf({ model, system = "", tools = [], messages }: MessagesRequest): Fingerprint {
  const blocks = turnsOf(messages).flatMap((turn) =>
    turn.blocks.map((block) => digest(turn.role + canonicalJson(block))),
  );
  return { model, system: digest(canonicalJson(system)), tools: digest(canonicalJson(tools)), blocks };
}
