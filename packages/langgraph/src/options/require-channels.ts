import { ContextError } from "@palimpsest/context";
import { shownValue } from "./fields.js";
import { nearestName } from "./nearest-name.js";

/** The part of LangGraph's config that reads channels. */
interface ChannelConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

interface Keys {
  readonly keepThread: boolean;
  readonly inputKey: string;
  readonly outputKey: string;
}

/**
 * Refuses state keys that are not channels of the running graph, because a node would read nothing or LangGraph would drop its
 * update, and a list that does not hold messages. Outside a graph, only the type of the messages is checked.
 *
 * @throws ContextError `bad-option`, naming the channels that the node sees.
 */
export function requireChannels(
  state: object,
  config: ChannelConfig | undefined,
  { inputKey, outputKey, keepThread }: Keys,
): void {
  const values = state as Readonly<Record<string, unknown>>;
  const messages = values[inputKey];
  if (messages === undefined || messages === null) requireInput(values, config, inputKey);
  else if (!Array.isArray(messages))
    throw bad(
      "inputKey",
      inputKey,
      `holds ${shownValue(messages)}: name the channel with the list of messages`,
    );
  else requireMessages(messages, inputKey);
  if (keepThread) requireCompaction(values, config);
  if (outputKey === inputKey || Object.hasOwn(values, outputKey)) return;
  // A node that is called directly, with a state of its own, writes no channel.
  if (!isChannel(config, inputKey) || isChannel(config, outputKey)) return;
  const way = `${listed(values, outputKey)}, add the channel to the state, or pass contextInputFor`;
  throw bad(
    "outputKey",
    outputKey,
    `is not a channel of this graph. ${way}({ inputKey, outputKey }) as the node's input`,
  );
}

function requireCompaction(
  { compaction }: Readonly<Record<string, unknown>>,
  config: ChannelConfig | undefined,
): void {
  if (compaction !== undefined || readerOf(config) === undefined) return;
  throw new ContextError(
    "bad-option",
    "keepThread is true, and this node has no channel compaction for the context: add contextState to the state, or pass " +
      "{ input: contextInput } to addNode. The node that reads contextIn(state) needs the same.",
  );
}

/** Checks only the first and the last message, so that a step of a long thread does not read all of it. */
function requireMessages(messages: readonly unknown[], inputKey: string): void {
  const wrong = [messages[0], messages.at(-1)].find((one) => one !== undefined && !isMessage(one));
  if (wrong === undefined) return;
  const way =
    'Pass messages of LangChain, such as new HumanMessage("Hello"), or give the channel a reducer that makes them';
  throw bad(
    "inputKey",
    inputKey,
    `holds ${shownValue(wrong)} in place of a message. ${way}, such as MessagesValue`,
  );
}

function isMessage(value: unknown): boolean {
  return typeof (value as { readonly getType?: unknown } | null)?.getType === "function";
}

function requireInput(
  values: Readonly<Record<string, unknown>>,
  config: ChannelConfig | undefined,
  inputKey: string,
) {
  const read = readerOf(config);
  if (read === undefined) return;
  if (!isChannel(config, inputKey))
    throw bad("inputKey", inputKey, `is not a channel of this graph. ${listed(values, inputKey)}`);
  const unread = read(inputKey);
  if (unread === undefined || unread === null) return;
  const way = `addNode(name, node, { input: contextInputFor({ inputKey: ${JSON.stringify(inputKey)} }) })`;
  throw bad("inputKey", inputKey, `is not in the input of this node: ${way}`);
}

function listed(values: Readonly<Record<string, unknown>>, wrong: string): string {
  const names = Object.keys(values);
  const nearest = nearestName(wrong, names);
  return `This node sees ${names.join(", ")}: ${nearest === undefined ? "name one of them" : `did you mean ${nearest}`}`;
}

type ReadChannel = (key: string | readonly string[], isFresh?: boolean) => unknown;

/**
 * Returns the function with which LangGraph (1.x) reads a channel; it throws a TypeError for an unknown channel. Of several it
 * returns those that hold a value. A fresh value has what the task itself has written.
 */
function readerOf(config: ChannelConfig | undefined): ReadChannel | undefined {
  const read = config?.configurable?.["__pregel_read"];
  return typeof read === "function" ? (read as ReadChannel) : undefined;
}

/** Returns what a channel of the running graph holds, with what the task itself has written; undefined if there is none. */
export function channelValue(config: ChannelConfig | undefined, key: string): unknown {
  return isChannel(config, key) ? readerOf(config)?.(key, true) : undefined;
}

/** Returns the values of those channels that the running graph has and that hold one, by name. */
export function availableChannels(
  config: ChannelConfig | undefined,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return (readerOf(config)?.(names) ?? {}) as Readonly<Record<string, unknown>>;
}

/** Returns true in a run that has no channel of a name, such as one of the functional API: what a node returns is only a value. */
export function lacksChannel(config: ChannelConfig | undefined, key: string): boolean {
  return readerOf(config) !== undefined && !isChannel(config, key);
}

function isChannel(config: ChannelConfig | undefined, key: string): boolean {
  try {
    readerOf(config)?.(key);
    return readerOf(config) !== undefined;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function bad(option: string, key: string, what: string): ContextError {
  return new ContextError("bad-option", `${option} is ${JSON.stringify(key)}, which ${what}.`);
}
