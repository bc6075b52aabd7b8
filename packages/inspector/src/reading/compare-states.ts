import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toStoredMessage } from "@palimpsest/context";
import type { Difference } from "../view.js";
import type { ThreadState } from "./read-state.js";

/** Returns what differs between what the model was sent, and between the workspaces, of two states. Pure. */
export function compareStates(before: ThreadState, after: ThreadState): readonly Difference[] {
  return [
    ...compare(messagesOf(before), messagesOf(after), "message"),
    ...compare(filesOf(before), filesOf(after), "file"),
  ];
}

/** What is compared, and what is shown of it, by name. */
type Compared = ReadonlyMap<string, { readonly whole: string; readonly text: string }>;

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

function compare(before: Compared, after: Compared, what: Difference["what"]): Difference[] {
  const removed = [...before].filter(([name]) => !after.has(name));
  const kept = [...after].filter(([name, { whole }]) => before.get(name)?.whole !== whole);
  return [
    ...removed.map(([name, { text }]) => ({ change: "removed" as const, what, name, text })),
    ...kept.map(([name, { text }]) => ({
      change: before.has(name) ? ("changed" as const) : ("added" as const),
      what,
      name,
      text,
    })),
  ];
}
