import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toStoredMessage } from "@palimpsest/context";
import { readState, type ThreadState } from "../read-state.js";
import { oneLine, terminalText } from "../terminal-text.js";
import type { Verb } from "../verb.js";

interface Difference {
  readonly change: "added" | "removed" | "changed";
  readonly what: "message" | "file";
  /** The id of the message, or the path of the file. */
  readonly name: string;
  readonly text: string;
}

/** Compares what the model was sent, and the workspace, at two steps. */
export const diff: Verb = {
  name: "diff",
  description: "Compare the context and the files of a thread at two steps",
  args: ["<thread>", "<step>", "<other-step>"],
  options: [],
  async run({ saver, args: [threadId = "", from = "", to = ""] }) {
    const [before, after] = [await readState(saver, threadId, from), await readState(saver, threadId, to)];
    const differences = [
      ...compare(messagesOf(before), messagesOf(after), "message"),
      ...compare(filesOf(before), filesOf(after), "file"),
    ];
    const sign = { added: "+", removed: "-", changed: "~" } as const;
    const lines = differences.map(({ change, what, name, text }) =>
      `${sign[change]} ${what} ${terminalText(name)} ${oneLine(text, 160)}`.trimEnd(),
    );
    return {
      data: differences,
      text: lines.length === 0 ? "The two steps are equal.\n" : `${lines.join("\n")}\n`,
    };
  },
};

/** What is compared, and what is printed of it, by name. */
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
