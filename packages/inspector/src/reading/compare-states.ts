import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toStoredMessage } from "@palimpsest/context";
import type { Difference } from "../view.js";
import { differences, type Compared } from "../shared/differences.js";
import type { ThreadState } from "./read-state.js";

/** Returns the differences of two states: in the messages that the model was sent, and in the workspaces. Pure. */
export function compareStates(before: ThreadState, after: ThreadState): readonly Difference[] {
  return [
    ...differences(messagesOf(before), messagesOf(after), "message"),
    ...differences(filesOf(before), filesOf(after), "file"),
  ];
}

function messagesOf({ context }: ThreadState): Compared {
  return new Map(
    context.map((message, index) => [
      message.id ?? `#${index + 1}`,
      { whole: JSON.stringify(toStoredMessage(message)), text: label(message) },
    ]),
  );
}

function label(message: BaseMessage): string {
  const fold = foldOf(message);
  return `${message.getType()}${fold === undefined ? "" : ` [${fold.kind}: ${fold.path}]`} ${message.text}`;
}

function filesOf({ files }: ThreadState): Compared {
  return new Map(
    Object.entries(files).map(([path, entry]) => [path, { whole: JSON.stringify(entry), text: "" }]),
  );
}
