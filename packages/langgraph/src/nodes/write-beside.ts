import { RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { messagesStateReducer, Overwrite, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { withIds } from "@palimpsest/context";
import { originalMessages } from "@palimpsest/context/internal";
import { channelValue } from "../options/require-channels.js";
import type { NodeConfig } from "../run-config.js";
import { listOf, writeState, type NodeUpdate } from "../run/node-state.js";
import { hideStandIns } from "../hide-from-stream.js";
import type { GivenList } from "./given-list.js";

/** What a compaction writes beside the reply of its node. */
interface Written {
  readonly update: NodeUpdate;
  readonly given: GivenList;
  /** The context that the call began with. */
  readonly messages: readonly BaseMessage[];
  /** What the call has said. */
  readonly said: readonly BaseMessage[];
  readonly inputKey: string;
}

/**
 * Writes an update before what its node returns; returns false outside a graph.
 *
 * A removal lets whatever the node returns join the messages. A reducer that does not know removals gets an overwrite with what the
 * call has said: it drops what else a host adds to that.
 */
export function writeBeside(written: Written, config: NodeConfig): boolean {
  const { update, inputKey } = written;
  const { [inputKey]: replaced, ...others } = update;
  // Without a reducer, the node returns the whole list, which it has made of the context.
  if (!Overwrite.isInstance<BaseMessage[]>(replaced)) return writeState(others, config);
  const list = originalMessages(withIds(replaced.value));
  hideStandIns(list, listOf(channelValue(config, inputKey)), config);
  const removal = new RemoveMessage({ id: REMOVE_ALL_MESSAGES });
  if (!writeState({ ...update, [inputKey]: [removal, ...list] }, config)) return false;
  return holds(list, inputKey, config) || writeState(replacing(written), config);
}

/** Returns an update whose messages are those of the call, and what it has said. */
export function replacing({ update, given, messages, said, inputKey }: Written): NodeUpdate {
  if (!Overwrite.isInstance(update[inputKey])) return update;
  const list = withIds(messages).filter(({ id = "" }) => !given.before.has(id));
  return {
    ...update,
    [inputKey]: new Overwrite(messagesStateReducer([...originalMessages(list)], [...said])),
  };
}

/** Returns whether a channel holds a list, with what the task has written. */
function holds(list: readonly BaseMessage[], key: string, config: NodeConfig): boolean {
  try {
    const held = listOf(channelValue(config, key));
    return held.length === list.length && held.every(({ id }, at) => id === list[at]?.id);
  } catch {
    // A reducer may throw for what it does not know.
    return false;
  }
}
