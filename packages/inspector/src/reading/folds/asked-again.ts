import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls, type Fold } from "@palimpsest/context";

/** A tool call of a thread. */
export interface PlacedCall {
  /** Place of its message in the thread. */
  readonly place: number;
  /** Id of its message. */
  readonly reply: string | undefined;
  readonly tool: string;
  /** Name and arguments: equal for equal calls. */
  readonly key: string;
  readonly args: string;
}

/** A whole thread, with what is looked up in it. */
export interface ThreadFacts {
  readonly messages: readonly BaseMessage[];
  readonly byId: ReadonlyMap<string, BaseMessage>;
  /** All tool calls, in order. */
  readonly toolCalls: readonly PlacedCall[];
  /** Of each tool call, by its id. Ids may repeat: the last one counts. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Pure. */
export function threadFacts(messages: readonly BaseMessage[]): ThreadFacts {
  const keys = new Map<string, string>();
  const placed = messages.flatMap((message, place) =>
    toolCalls(message).map(({ id, name, args }) => {
      const json = JSON.stringify(args);
      const key = `${name} ${json}`;
      if (id !== undefined) keys.set(id, key);
      return { place, reply: message.id, tool: name, key, args: json };
    }),
  );
  const byId = new Map(messages.map((message) => [message.id ?? "", message]));
  return { messages, byId, toolCalls: placed, keys };
}

/** Returns the keys of the calls whose results a fold covers. Pure. */
export function coveredCalls(
  { covers }: Pick<Fold, "covers">,
  { byId, keys }: ThreadFacts,
): ReadonlySet<string> {
  const results = covers.flatMap((id) => byId.get(id) ?? []) as readonly { readonly tool_call_id?: string }[];
  return new Set(results.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : (keys.get(id) ?? []))));
}

/** Returns how a call asks for what a fold covers; undefined if it does not. Pure. */
export function asksFor(
  { key, args }: PlacedCall,
  fold: Pick<Fold, "id" | "path" | "record">,
  covered: ReadonlySet<string>,
): "originals" | "same call" | undefined {
  const names = [fold.path, fold.record, `"${fold.id}"`].filter((name) => name !== undefined);
  if (names.some((name) => args.includes(name))) return "originals";
  return covered.has(key) ? "same call" : undefined;
}
