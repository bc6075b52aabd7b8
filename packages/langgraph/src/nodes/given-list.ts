import type { BaseMessage } from "@langchain/core/messages";
import { withIds } from "@palimpsest/context";
import { channelValue } from "../options/require-channels.js";
import type { NodeConfig } from "../run-config.js";
import { listOf, type NodeState, type StateKeys } from "../run/node-state.js";

/** What a node was called with, compared with the channel of its messages. */
export interface GivenList {
  /** The state that the node was called with. */
  readonly state: NodeState;
  /** The same state without what the host has added to the messages of the channel. */
  readonly thread: NodeState;
  /** The host passed a list of its own: it lacks messages of the channel. */
  readonly isOwn: boolean;
  /** The host has changed messages of the channel for this call. */
  readonly isChanged: boolean;
  /** Ids of what the host put before the messages of the channel, such as a system message. */
  readonly before: ReadonlySet<string>;
  /** Ids of everything that the host has added. */
  readonly added: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/**
 * Returns what a node was called with. LangGraph passes what the channel holds; a host that calls the node itself, or a `Send`, may
 * pass a part of it, more, or messages that it has changed for this call.
 */
export function givenTo(
  state: NodeState,
  { inputKey }: Pick<StateKeys, "inputKey">,
  config: NodeConfig | undefined,
): GivenList {
  const value = (state as Readonly<Record<string, unknown>>)[inputKey];
  const held = channelValue(config, inputKey);
  const same = { state, thread: state, isOwn: false, isChanged: false, before: none, added: none };
  // Hot path: nearly every node gets what the channel holds.
  if (held === undefined || held === null || held === value) return same;
  const own = listOf(held);
  const given = listOf(value);
  const versions = new Map(idsOf(own).map((id, at) => [id, own[at]]));
  const ids = idsOf(given);
  const known = new Set(ids);
  if ([...versions.keys()].some((id) => !known.has(id))) return { ...same, isOwn: true };
  if (versions.size === 0) return { ...same, isOwn: given.length > 0 };
  const list = given.filter((_, at) => versions.has(ids[at] ?? ""));
  const isChanged = given.some((message, at) => (versions.get(ids[at] ?? "") ?? message) !== message);
  const first = ids.findIndex((id) => versions.has(id));
  return {
    state,
    thread: { ...state, [inputKey]: isChanged ? list : held },
    isOwn: false,
    isChanged,
    before: new Set(ids.slice(0, Math.max(0, first))),
    added: new Set(ids.filter((id) => !versions.has(id))),
  };
}

function idsOf(messages: readonly BaseMessage[]): readonly string[] {
  return withIds(messages).map(({ id }) => id ?? "");
}
