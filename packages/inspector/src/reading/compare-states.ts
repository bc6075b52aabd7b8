import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toolCalls, toStoredMessage } from "@palimpsest/context";
import type { Difference } from "../view.js";
import { differences, type Compared } from "../shared/differences.js";
import { promptDifferences } from "../shared/prompt.js";
import { speaker } from "../shared/speaker.js";
import type { ThreadState } from "./read-state.js";

/**
 * Returns the differences of two states: in what the model was sent, and in the workspaces. Messages are compared by
 * their ids; those of two threads that share none, by their positions and by what they say. Pure.
 */
export function compareStates(before: ThreadState, after: ThreadState): readonly Difference[] {
  const ids = new Set(before.context.map(({ id }) => id));
  const shares = after.context.some(({ id }) => id !== undefined && ids.has(id));
  const messagesOf = shares || before.threadId === after.threadId ? byId : byPosition;
  return [
    ...promptDifferences(before.prompt.text, after.prompt.text),
    ...differences(messagesOf(before), messagesOf(after), "message"),
    ...differences(filesOf(before), filesOf(after), "file"),
  ];
}

function byId({ context }: ThreadState): Compared {
  return new Map(
    context.map((message, index) => [
      message.id ?? `#${index + 1}`,
      { whole: JSON.stringify(toStoredMessage(message)), text: label(message) },
    ]),
  );
}

function byPosition({ context }: ThreadState): Compared {
  return new Map(
    context.map((message, index) => {
      const calls = toolCalls(message).map(({ name, args }) => [name, args]);
      const text = label(message);
      return [`#${index + 1}`, { whole: `${text} ${JSON.stringify(calls)}`, text }];
    }),
  );
}

function label(message: BaseMessage): string {
  const fold = foldOf(message);
  return `${speaker(message.getType())}${fold === undefined ? "" : ` [${fold.kind}: ${fold.path}]`} ${message.text}`;
}

function filesOf({ files }: ThreadState): Compared {
  return new Map(
    Object.entries(files).map(([path, entry]) => [path, { whole: JSON.stringify(entry), text: "" }]),
  );
}
