import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { END, MessagesDeltaValue, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import { compactionNode, contextState } from "@palimpsest/langgraph";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readState, stepsOf, unfoldState } from "../reading/read-state.js";
import { writeThread } from "../testing/written-thread.js";
import type { Act } from "../view.js";
import { planFork, writeFork } from "./act-on-fork.js";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-forks-"));
let path = "";
let saver: VfsSaver;
/** A step whose context has summaries, and that many followed. */
let at = "";

beforeAll(async () => {
  path = join(folder, "agent.db");
  saver = VfsSaver.fromPath(path);
  await writeThread(saver, "t", 8);
  at = (await stepsOf(saver, "t")).at(-10)?.id ?? "";
});
afterAll(async () => {
  await saver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the bytes of all checkpoints, and of the writes of tasks, in the file. */
function rowsOf(): ReadonlyMap<string, string> {
  const database = new Database(path, { readonly: true });
  const columns = { checkpoints: "hex(parent), tasks", writes: "hex(task)" };
  const rows = Object.entries(columns).flatMap(([table, keys]) =>
    database
      .prepare(`SELECT '${table}', space, hex(id), ${keys}, hex(data) FROM ${table}`)
      .raw()
      .all()
      .map((row) => (row as readonly unknown[]).map(String)),
  );
  database.close();
  return new Map(rows.map((row): [string, string] => [row.slice(0, -1).join(" "), row.at(-1) ?? ""]));
}

const textsOf = (messages: readonly BaseMessage[]) => messages.map(({ id, text }) => `${id}: ${text}`);
const contextAt = async (id: string) => (await readState(saver, "t", id)).context;
/** Returns the thread as it happened up to a checkpoint. */
async function whole(id: string) {
  const messages = await unfoldState(saver, await readState(saver, "t", id));
  return messages.map(({ id: name, text }) => [name, text]);
}

const place = () => ({ saver, window: 4_000 });

/** Acts that change something at the step, by name. */
async function actsAt(): Promise<Readonly<Record<Act["action"], Act>>> {
  const context = await contextAt(at);
  const fold = context.flatMap((message) => foldOf(message)?.id ?? [])[0] ?? "";
  const message = context.findLast((one) => foldOf(one) === undefined)?.id ?? "";
  return {
    resume: { action: "resume" },
    unfold: { action: "unfold", fold },
    compact: { action: "compact", message },
    pin: { action: "pin", message },
  };
}

const actions: readonly Act["action"][] = ["resume", "unfold", "compact", "pin"];

/** Goes on with the thread in a graph of its own, from a checkpoint or the newest. Returns what the model was sent first. */
async function resumed(checkpoint?: string): Promise<readonly BaseMessage[]> {
  const sent: BaseMessage[][] = [];
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compactionNode({ files: saver.files, contextWindow: 60_000 }))
    .addNode("agent", ({ messages }) => {
      sent.push(messages);
      return { messages: [new AIMessage({ content: "Done." })] };
    })
    .addEdge(START, "compact")
    .addEdge("compact", "agent")
    .addEdge("agent", END)
    .compile({ checkpointer: saver });
  const named = checkpoint === undefined ? {} : { checkpoint_id: checkpoint };
  await graph.invoke(
    { messages: [new HumanMessage("Go on.")] },
    { configurable: { thread_id: "t", ...named } },
  );
  return sent[0] ?? [];
}

describe.each(actions)("to %s on a fork", (action) => {
  it("announces and writes one checkpoint, and changes no byte of the others", async () => {
    const act = (await actsAt())[action];
    const before = rowsOf();
    const plan = await planFork(place(), { ...act, thread: "t", at });
    expect(rowsOf()).toEqual(before);
    expect(plan.lines.join(" ")).toMatch(/A new checkpoint of "t" with step \d+ as its parent/u);
    const { checkpoint } = await writeFork(place(), { ...act, thread: "t", at });
    const after = rowsOf();
    for (const [row, bytes] of before) expect(after.get(row)).toBe(bytes);
    expect(after.size).toBe(before.size + 1);
    const fork = (await stepsOf(saver, "t")).at(-1);
    expect(fork).toMatchObject({ id: checkpoint, parentId: at });
  });

  it("loses nothing: unfolded, the fork is the thread of the step", async () => {
    const { checkpoint } = await writeFork(place(), { ...(await actsAt())[action], thread: "t", at });
    expect(await whole(checkpoint)).toEqual(await whole(at));
  });

  it("resumes with the change in a graph that does not know of the fork; the original resumes without it", async () => {
    const act = (await actsAt())[action];
    const { checkpoint } = await writeFork(place(), { ...act, thread: "t", at });
    const expected = (await contextAt(checkpoint)).map(({ id }) => id);
    const original = (await contextAt(at)).map(({ id }) => id);
    expect((await resumed()).slice(0, -1).map(({ id }) => id)).toEqual(expected);
    expect((await resumed(checkpoint)).slice(0, -1).map(({ id }) => id)).toEqual(expected);
    expect((await resumed(at)).slice(0, -1).map(({ id }) => id)).toEqual(original);
  });
});

it("opens the fold, folds above the message, and marks the pinned one", async () => {
  const acts = await actsAt();
  const forked = async (act: Act) =>
    contextAt((await writeFork(place(), { ...act, thread: "t", at })).checkpoint);
  const original = await contextAt(at);
  expect((await forked(acts.unfold)).length).toBeGreaterThan(original.length);
  const compacted = await forked(acts.compact);
  expect(compacted.length).toBeLessThan(original.length);
  expect(compacted.at(-1)?.id).toBe(original.at(-1)?.id);
  const pinned = await forked(acts.pin);
  const marked = pinned.filter(({ additional_kwargs: marks }) => marks["palimpsest_pin"] === true);
  expect(marked.map(({ id }) => id)).toEqual([acts.pin.action === "pin" ? acts.pin.message : ""]);
});

it.each<[string, Act, string]>([
  ["a fold that is not there", { action: "unfold", fold: "none" }, "The context has no fold none"],
  [
    "a message that is not there",
    { action: "pin", message: "none" },
    "The context of this step has no message none",
  ],
  ["a message above which nothing can be folded", { action: "compact", message: "none" }, "no message none"],
])("refuses %s, and writes nothing", async (_, act, message) => {
  const before = rowsOf();
  await expect(planFork(place(), { ...act, thread: "t", at })).rejects.toThrow(message);
  await expect(writeFork(place(), { ...act, thread: "t", at })).rejects.toThrow(message);
  expect(rowsOf()).toEqual(before);
});

it("refuses to compact while nobody knows the window, and says how to tell it", async () => {
  const { compact } = await actsAt();
  const request = { ...compact, thread: "t", at };
  await expect(planFork({ saver, window: undefined }, request)).rejects.toThrow("--window 128000");
});

it("unfolds, compacts and pins beside a thread that stays whole", async () => {
  await writeThread(saver, "kept", { turns: 6, keepThread: true });
  const before = await readState(saver, "kept");
  const fold = before.context.flatMap((message) => foldOf(message)?.id ?? [])[0] ?? "";
  const message = before.context.findLast((one) => foldOf(one) === undefined)?.id ?? "";
  const acts: readonly Act[] = [
    { action: "unfold", fold },
    { action: "compact", message },
    { action: "pin", message },
  ];
  for (const act of acts) {
    const { checkpoint } = await writeFork(place(), { ...act, thread: "kept", at: before.id });
    const after = await readState(saver, "kept", checkpoint);
    expect(textsOf(after.thread)).toEqual(textsOf(before.thread));
    const isOnlyMarked = act.action === "pin";
    expect([act.action, textsOf(after.context).join() === textsOf(before.context).join()]).toEqual([
      act.action,
      isOnlyMarked,
    ]);
  }
});

it("refuses a thread of delta channels, which only its graph can rebuild", async () => {
  const graph = new StateGraph(new StateSchema({ messages: MessagesDeltaValue }))
    .addNode("agent", () => ({ messages: [new AIMessage("Hello.")] }))
    .addEdge(START, "agent")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [new HumanMessage("Hi.")] }, { configurable: { thread_id: "delta" } });
  const { id } = await readState(saver, "delta");
  const request = { action: "resume", thread: "delta", at: id } as const;
  await expect(writeFork(place(), request)).rejects.toThrow("The channel messages is a delta channel");
});
