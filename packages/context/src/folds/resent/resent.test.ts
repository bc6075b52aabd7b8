import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { copyMessage } from "../../messages/copy-message.js";
import { toStoredMessage } from "../../messages/stored-message.js";
import { applySummary } from "../../summary/apply-summary.js";
import { planSummary } from "../../summary/plan-summary.js";
import { estimateTokens } from "../../tokens/estimate-tokens.js";
import { offloadLargeToolResults } from "../../passes/offload-large-tool-results.js";
import { illegalities } from "../../testing/index.js";
import { coverage, foldKwargs, foldOf } from "../fold.js";
import { hasResent, withoutRepeated, withoutResent } from "./resent.js";

const call = (id: string) => ({ id, name: "read", args: { page: id } });

const thread = [
  new HumanMessage({ id: "question", content: "Read." }),
  new AIMessage({ id: "asks", content: "", tool_calls: [call("c1"), call("c2")] }),
  new ToolMessage({ id: "one", tool_call_id: "c1", content: "Page 1." }),
  new ToolMessage({ id: "two", tool_call_id: "c2", content: "Page 2." }),
  new AIMessage({ id: "says", content: "Both are read." }),
  new HumanMessage({ id: "more", content: "Go on." }),
  new AIMessage({ id: "ends", content: "Done." }),
];

/** Returns the thread with all but its newest two messages summarized, and a reader that counts. */
function summarized() {
  const plan = planSummary(thread, { cut: 5, userTokens: 0 })!;
  const { messages, writes } = applySummary(plan, { text: "summary", tokenCounter: estimateTokens });
  const archive = new Map(writes.map(({ path, content }) => [path, content]));
  const reads: string[] = [];
  async function read(path: string): Promise<string> {
    reads.push(path);
    return archive.get(path)!;
  }
  return { messages, read, reads };
}

const third = new HumanMessage({ id: "third", content: "And now?" });

const ids = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);

function stored(messages: readonly BaseMessage[]): string {
  return messages.map((message) => JSON.stringify(toStoredMessage(message))).join("\n");
}

it("a copy of a folded message without its metadata is removed from behind the summary", async () => {
  const { messages, read } = summarized();
  const copies = [
    new AIMessage({ id: "asks", content: [], tool_calls: [call("c1"), call("c2")] }),
    new ToolMessage({ id: "one", tool_call_id: "c1", content: [{ type: "text", text: "Page 1." }] }),
    ...thread.slice(3, 5),
  ];
  expect(hasResent([...messages, ...copies, third])).toBe(true);
  expect(await withoutResent([...messages, ...copies, third], read)).toEqual([...messages, third]);
});

it("a copy of what only a fold inside a block covers is removed", async () => {
  const { messages, read } = summarized();
  const [question, summary, ...newer] = messages;
  const path = "/context/blocks/outer.jsonl";
  const fold = { id: "outer", kind: "micro", path, record: path, tokensBefore: 9, tokensAfter: 1 } as const;
  const additional_kwargs = foldKwargs({ ...fold, ...coverage([summary!], []) });
  const block = new HumanMessage({ id: "block", content: "[Read.]", additional_kwargs });
  const readAll = async (name: string) =>
    name === path ? JSON.stringify(toStoredMessage(summary!)) : read(name);
  const context = [question!, block, ...newer];
  const resent = [...context, ...thread.slice(1, 5), third];
  expect(ids(await withoutResent(resent, readAll))).toEqual(ids([...context, third]));
});

it("a message stays whose original is in the same record as that of a folded one", async () => {
  const [path, shared] = ["/context/history/0001-a.jsonl", "/context/history/reasoning-a.jsonl"];
  const [first, second] = ["first", "second"].map(
    (id) => new AIMessage({ id, content: `The ${id} page is read.` }),
  );
  const numbers = { tokensBefore: 9, tokensAfter: 1 };
  const short = copyMessage(first!, {
    additional_kwargs: foldKwargs({
      id: "r",
      kind: "reasoning",
      path: shared,
      record: shared,
      covers: ["first"],
      ...numbers,
    }),
  });
  const fold = {
    id: "s",
    kind: "summary",
    path,
    record: path,
    ...coverage([short], []),
    ...numbers,
  } as const;
  const summary = new HumanMessage({ id: "s", content: "Read.", additional_kwargs: foldKwargs(fold) });
  const files = new Map([
    [path, stored([short])],
    [shared, stored([first!, second!])],
  ]);
  const list = [summary, second!, third, first!, third];
  const rest = await withoutResent(list, async (name) => files.get(name)!);
  expect(ids(rest)).toEqual(["s", "second", "third", "third"]);
});

it("the newest reply stays, as a server may answer the same under the same id again", async () => {
  const { messages, read } = summarized();
  const list = [...messages, ...thread.slice(1, 4)];
  expect(await withoutResent(list, read)).toBe(list);
  const later = [...list, ...thread.slice(4, 5)];
  expect(await withoutResent(later, read)).toBe(later);
});

it("an edited message with the id of a folded one stays, with the call or the results that belong to it", async () => {
  const { messages, read } = summarized();
  const edited = new ToolMessage({ id: "one", tool_call_id: "c1", content: "Page 1, corrected." });
  const list = [...messages, thread[1]!, edited, ...thread.slice(3, 5), third];
  const rest = await withoutResent(list, read);
  expect(ids(rest)).toEqual([...ids(messages), "asks", "one", "two", "third"]);
  expect(rest).toContain(edited);
});

const corrected = new ToolMessage({ id: "one", tool_call_id: "c1", content: "Page 1, corrected." });
const reworded = new AIMessage({ id: "asks", content: "Reading.", tool_calls: [call("c1"), call("c2")] });

it("an edited message that comes without its step gets the rest of it from the archive, where no model has spoken before", async () => {
  const { messages, read } = summarized();
  const lone = await withoutResent([...messages, corrected, third], read);
  expect(ids(lone)).toEqual([...ids(messages), "third", "asks", "one", "two"]);
  expect(lone).toContain(corrected);
  expect(illegalities(lone)).toEqual([]);
  const both = await withoutResent([...messages, corrected, third, reworded, thread[5]!], read);
  expect(ids(both)).toEqual([...ids(messages), "third", "asks", "one", "two", "more"]);
  expect(both).toEqual(expect.arrayContaining([corrected, reworded]));
  expect(await withoutResent(both, read)).toBe(both);
});

it("calls that the host runs next get no results from the archive", async () => {
  const { messages, read } = summarized();
  const list = [...messages, third, reworded];
  expect(await withoutResent(list, read)).toBe(list);
});

it("an edited message without its step gets the rest of it from a whole thread", async () => {
  const list = [...thread, third, corrected];
  const whole = await withoutRepeated(list, readNothing);
  expect(ids(whole)).toEqual([...ids(thread), "third", "asks", "one", "two"]);
  expect(await withoutRepeated(whole, readNothing)).toBe(whole);
});

it("a result that the thread has apart from its call stays there", async () => {
  const list = [...thread.slice(0, 3), third, ...thread.slice(3), copyMessage(third, { content: "Now?" })];
  expect(await withoutRepeated(list, readNothing)).toBe(list);
});

it("a message that was found to be no copy costs no reads at later steps", async () => {
  const { messages, read, reads } = summarized();
  const list = [...messages, new AIMessage({ id: "says", content: "One is read." })];
  expect(await withoutResent(list, read)).toBe(list);
  expect(reads).toHaveLength(1);
  const later = [...list, third];
  expect(hasResent(later)).toBe(false);
  expect(await withoutResent(later, read)).toBe(later);
  expect(reads).toHaveLength(1);
});

async function readNothing(path: string): Promise<string> {
  throw new Error(`${path} is not needed`);
}

it("copies behind their originals in a whole thread are left out, and an edited message stays with its step", async () => {
  const edited = new ToolMessage({ id: "one", tool_call_id: "c1", content: "Page 1, corrected." });
  const copies = thread.slice(1, 5).map((message) => copyMessage(message, {}));
  const [asks, , two, says] = copies;
  expect(await withoutRepeated([...thread, ...copies, third], readNothing)).toEqual([...thread, third]);
  const list = [...thread, asks!, edited, two!, says!, third];
  expect(ids(await withoutRepeated(list, readNothing))).toEqual([
    ...ids(thread),
    "asks",
    "one",
    "two",
    "third",
  ]);
  expect(await withoutRepeated(thread, readNothing)).toBe(thread);
});

it("copies of originals that stand as previews in a whole thread are left out", async () => {
  const long = new ToolMessage({ id: "one", tool_call_id: "c1", content: "Page 1.\n".repeat(900) });
  const whole = thread.map((message) => (message.id === "one" ? long : message));
  const { messages, writes } = offloadLargeToolResults(whole, { offloadTokens: 100 });
  const files = new Map(writes.map(({ path, content }) => [path, content]));
  const read = async (path: string) => files.get(path) ?? "";
  expect(messages.filter(foldOf)).toHaveLength(1);
  const copies = whole.slice(1, 5).map((message) => copyMessage(message, {}));
  expect(await withoutRepeated([...messages, ...copies, third], read)).toEqual([...messages, third]);
});
