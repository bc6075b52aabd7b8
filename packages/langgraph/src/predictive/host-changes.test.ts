import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import { foldOf, fromStoredMessage, toStoredMessage, unfold } from "@palimpsest/context";
import { withoutRepeated } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { filler, messagesAfter } from "../testing/history.js";
import { predictiveContextNode } from "./predictive-context-node.js";

const config = { configurable: { thread_id: "t" } };

/** A turn: the client may send all that it has seen, the host may change a message, and the process may be another one. */
const turnArbitrary = fc.record({
  kind: fc.constantFrom("edit", "insert", "remove", "resend", "none" as const),
  at: fc.nat(),
  isRestarted: fc.boolean(),
  size: fc.constantFrom(5, 60, 700),
});

type Turn = typeof turnArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** Returns a list after a change of one message by the host. */
function changed(
  list: readonly BaseMessage[],
  { kind, id }: Pick<Turn, "kind"> & { readonly id: string | undefined },
  turn: number,
): BaseMessage[] {
  return list.flatMap((message) => {
    if (message.id !== id || id === undefined) return [message];
    if (kind === "remove") return [];
    if (kind === "insert")
      return [new HumanMessage({ id: `i${turn}`, content: `inserted ${turn}` }), message];
    const fields = { id, content: `edited ${turn}` };
    return [message.getType() === "ai" ? new AIMessage(fields) : new HumanMessage(fields)];
  });
}

function stored(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message) => fromStoredMessage(JSON.parse(JSON.stringify(toStoredMessage(message)))));
}

function shown(messages: readonly BaseMessage[]) {
  return messages.map(({ id, text }) => `${id}: ${text}`);
}

it.each([
  ["reuse", "messages"],
  ["pace", "messages"],
  ["reuse", "context"],
  ["pace", "context"],
] as const)(
  "with %s in the key %s nothing is lost that the host left, and nothing returns that it took",
  async (policy, outputKey) => {
    let selections = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(turnArbitrary, { minLength: 4, maxLength: 14 }), async (turns) => {
        const files = VirtualFilesystem.inMemory();
        const isView = outputKey === "context";
        const build = () =>
          predictiveContextNode({ files, budget: 900, policy, outputKey, onError: "throw" });
        let node = build();
        let thread: BaseMessage[] = [];
        let messages: BaseMessage[] = [];
        let context: BaseMessage[] = [];
        const gone = new Set<string>();
        for (const [turn, step] of turns.entries()) {
          const candidates = messages.filter((message) => foldOf(message)?.kind !== "chunk");
          const id = candidates[step.at % Math.max(1, candidates.length)]?.id;
          if (["edit", "insert", "remove"].includes(step.kind)) {
            const before = thread;
            thread = changed(thread, { ...step, id }, turn);
            for (const { text } of before.filter((message) => !thread.includes(message)))
              gone.add(text.slice(0, 20));
            messages = changed(messages, { ...step, id }, turn);
          }
          const question = new HumanMessage({
            id: `u${turn}`,
            content: `question ${turn} ${filler(step.size, turn)}`,
          });
          thread = [...thread, question];
          messages = messagesStateReducer(messages, step.kind === "resend" ? [...thread] : [question]);
          if (step.isRestarted) [node, messages, context] = [build(), stored(messages), stored(context)];
          const update = await node(isView ? { messages, context } : { messages }, config);
          if (isView) context = update["context"] as BaseMessage[];
          else messages = [...messagesAfter(update, messages)];
          const sent = isView ? context : messages;
          const text = sent.map((message) => message.text).join("\n");
          expect([...gone].filter((words) => text.includes(words))).toEqual([]);
          selections += sent.filter((message) => foldOf(message)?.kind === "chunk").length;
          const { archive } = files.thread("t");
          const read = async (path: string) => archive.readText(path);
          const opened = await unfold(sent, read);
          expect(shown(await withoutRepeated(opened, read))).toEqual(shown(thread));
          const answer = new AIMessage({ id: `a${turn}`, content: `answer ${turn} ${filler(120, turn)}` });
          thread = [...thread, answer];
          messages = [...messages, answer];
        }
      }),
      { numRuns: 25 },
    );
    expect(selections).toBeGreaterThan(20);
  },
);
