import type { BaseMessage } from "@langchain/core/messages";
import type {
  BaseCheckpointSaver,
  CheckpointPendingWrite,
  CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import { isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { CheckpointError } from "../checkpoint-error.js";

export interface VfsSaverReadOptions {
  /** The channel of the messages. @default "messages" */
  readonly channel?: string;
  /** Replaces folds by what they folded: `unfold` of `@palimpsest/context`. @default the messages of the state */
  readonly unfold?: (
    messages: readonly BaseMessage[],
    read: (path: string) => Promise<string>,
  ) => Promise<readonly BaseMessage[]>;
  /** Applies the writes of a delta channel, such as `messagesDeltaReducer`. Needed only where `messages` is one. */
  readonly reducer?: (current: BaseMessage[], writes: never[]) => BaseMessage[];
}

export interface ReadMessagesSource {
  readonly tuple: CheckpointTuple;
  readonly files: VirtualFilesystem;
  readonly saver: BaseCheckpointSaver;
}

/** Yields the messages of a checkpoint. */
export async function* readMessages(
  { tuple, files, saver }: ReadMessagesSource,
  { channel = "messages", unfold, reducer }: VfsSaverReadOptions,
): AsyncGenerator<BaseMessage> {
  const stored = tuple.checkpoint.channel_values[channel];
  let messages = messagesIn(stored);
  if (stored === undefined && tuple.checkpoint.channel_versions[channel] !== undefined) {
    messages = await replay({ tuple, saver, channel, reducer });
  }
  const { archive } = files.thread(String(tuple.config.configurable?.["thread_id"]));
  yield* unfold ? await unfold(messages, async (path) => archive.readText(path)) : messages;
}

interface Replay {
  readonly tuple: CheckpointTuple;
  readonly saver: BaseCheckpointSaver;
  readonly channel: string;
  readonly reducer: VfsSaverReadOptions["reducer"];
}

async function replay({ tuple, saver, channel, reducer }: Replay): Promise<BaseMessage[]> {
  const history = (await saver.getDeltaChannelHistory({ config: tuple.config, channels: [channel] }))[
    channel
  ];
  const writes = (history?.writes ?? []).map(([, , value]: CheckpointPendingWrite) => value);
  if (writes.length === 0) return messagesIn(history?.seed);
  if (!reducer) {
    throw new CheckpointError(
      "unsupported",
      `${channel} is a delta channel: it is rebuilt by its reducer. Pass reducer: messagesDeltaReducer.`,
    );
  }
  return reducer(messagesIn(history?.seed), writes as never[]);
}

function messagesIn(value: unknown): BaseMessage[] {
  const whole = isDeltaSnapshot(value) ? value.value : value;
  return Array.isArray(whole) ? whole : [];
}
