import { canonicalJson, digest, wireTokens } from "../prefix-binding.js";
import { turnsOf, type Block, type MessagesRequest } from "./wire.js";

/** Blocks before a breakpoint in which the server looks for an earlier entry. */
const lookback = 20;

export interface CacheUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

/**
 * Keeps prompt prefixes as the provider documents it: up to four breakpoints, each of which reads the longest entry
 * within the 20 blocks before it and writes one of its own. Order: tools, system, messages.
 */
export class PromptCache {
  readonly #entries = new Set<string>();

  /** Returns the usage of a request and remembers its breakpoints. */
  use(request: MessagesRequest): CacheUsage {
    const prefixes = prefixesOf(request);
    const total = prefixes.at(-1)?.tokens ?? 0;
    const breakpoints = prefixes.flatMap(({ isBreakpoint }, index) => (isBreakpoint ? [index] : []));
    const read = Math.max(0, ...breakpoints.map((index) => this.#hit(prefixes, index)));
    const written = prefixes[breakpoints.at(-1) ?? -1]?.tokens ?? 0;
    for (const index of breakpoints) this.#entries.add(prefixes[index]?.key ?? "");
    return {
      input_tokens: total - Math.max(written, read),
      cache_read_input_tokens: read,
      cache_creation_input_tokens: Math.max(0, written - read),
    };
  }

  #hit(prefixes: readonly Prefix[], breakpoint: number): number {
    for (let index = breakpoint; index >= Math.max(0, breakpoint - lookback); index--) {
      const prefix = prefixes[index];
      if (prefix !== undefined && this.#entries.has(prefix.key)) return prefix.tokens;
    }
    return 0;
  }
}

interface Prefix {
  readonly key: string;
  readonly tokens: number;
  readonly isBreakpoint: boolean;
}

function prefixesOf(request: MessagesRequest): readonly Prefix[] {
  const { model, tools = [], system = [], messages, cache_control: control } = request;
  const systemBlocks: readonly Block[] =
    typeof system === "string" ? [{ type: "text", text: system }] : system;
  const parts: { readonly value: object; readonly role: string }[] = [
    ...tools.map((value) => ({ value, role: "tools" })),
    ...systemBlocks.map((value) => ({ value, role: "system" })),
    ...turnsOf(messages).flatMap(({ role, blocks }) => blocks.map((value) => ({ value, role }))),
  ];
  let key = digest(model);
  let tokens = 0;
  return parts.map(({ value, role }, index) => {
    key = digest(key + role + canonicalJson(value));
    tokens += wireTokens(value);
    const isLast = control != null && index === parts.length - 1;
    return { key, tokens, isBreakpoint: isLast || ("cache_control" in value && value.cache_control != null) };
  });
}
