import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { fromStoredMessage, toStoredMessage, unfold, withIds, type StoredMessage } from "@palimpsest/context";
import { historyArbitrary, staleReasoning, hasBoundReasoning } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveOptions } from "../options/resolve-options.js";
import { runStep, type StepOutcome } from "../run/run-step.js";

const config = { configurable: { thread_id: "t" } };
/** Returns the messages as new objects, as after they were stored and read. */
function reloaded(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const text = JSON.stringify(messages.map((message) => toStoredMessage(message)));
  return (JSON.parse(text) as StoredMessage[]).map(fromStoredMessage);
}

/** One step in which nothing is due, after a restart. */
async function step({ messages, state = {} }: StepOutcome, files: VirtualFilesystem) {
  const options = resolveOptions({ files, contextWindow: 1_000_000 });
  const before = reloaded(messages);
  const input = { messages: before, state, config };
  const outcome = await runStep(input, options, async () => undefined);
  return { before, messages: outcome.messages, state: { ...state, ...outcome.state } };
}

/** A thread, one of its replies, and where and how the host changes what was sent for it. */
const caseArbitrary = fc
  .record({
    history: historyArbitrary({ maxTurns: 3 }).map((messages) => withIds(messages.slice(0, 11))),
    seed: fc.nat(),
    index: fc.nat(),
    edit: fc.constantFrom("edit", "remove", "insert"),
  })
  .map(({ history, seed, ...rest }) => {
    const calls = history.flatMap((message, at) => (AIMessage.isInstance(message) && at > 0 ? [at] : []));
    const call = calls.length === 0 ? 0 : seed % calls.length;
    const [end = history.length, until] = [calls[call], calls[call + 1]];
    return { ...rest, calls: calls.slice(0, call), end, thread: history.slice(0, until) };
  })
  .filter(({ end }) => end > 0);

/** Plays a thread up to a reply, with one step before each reply. */
async function play(
  { thread, calls, end }: { thread: readonly BaseMessage[]; calls: readonly number[]; end: number },
  files: VirtualFilesystem,
) {
  let sent: StepOutcome = { messages: [] };
  for (const at of [...calls, end]) {
    const messages = [...sent.messages, ...thread.slice(sent.messages.length, at)];
    sent = await step({ ...sent, messages }, files);
  }
  return sent;
}

describe("the reasoning of any history, over restarts", () => {
  it("stays where a thread only grows", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (played) => {
        const files = VirtualFilesystem.inMemory();
        const sent = await play(played, files);
        const grown = [...sent.messages, ...played.thread.slice(played.end)];
        const next = await step({ ...sent, messages: grown }, files);
        expect(sent.messages.map(hasBoundReasoning)).toEqual(
          played.thread.slice(0, played.end).map(hasBoundReasoning),
        );
        expect(next.messages).toBe(next.before);
      }),
    );
  });

  it("is valid or absent after a change of the host, stays before it, and comes back from the archive", async () => {
    let dropped = 0;
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async ({ index, edit, ...played }) => {
        const files = VirtualFilesystem.inMemory();
        const sent = await play(played, files);
        const known = sent.state?.prefix?.marks.at(-1)?.messages ?? 0;
        fc.pre(known > 0);
        const at = index % known;
        const added = edit === "remove" ? [] : [new HumanMessage({ id: "host", content: "Other words" })];
        const edited = sent.messages.toSpliced(at, edit === "insert" ? 0 : 1, ...added);
        const messages = [...edited, ...played.thread.slice(played.end)];
        const next = await step({ ...sent, messages }, files);
        expect(staleReasoning([...sent.messages, ...played.thread.slice(played.end)], next.messages)).toEqual(
          [],
        );
        expect(next.messages.slice(0, at).map(hasBoundReasoning)).toEqual(
          messages.slice(0, at).map(hasBoundReasoning),
        );
        dropped += next.messages === next.before ? 0 : 1;
        const opened = await unfold(next.messages, (path) => files.archive("t").readText(path));
        expect(opened.map(toStoredMessage)).toEqual(next.before.map(toStoredMessage));
      }),
    );
    expect(dropped).toBeGreaterThan(5);
  });
});
