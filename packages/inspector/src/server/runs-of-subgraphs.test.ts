import type { BaseMessage } from "@langchain/core/messages";
import { VfsSaver } from "@palimpsest/checkpoint";
import { afterAll, beforeAll, expect, it } from "vitest";
import { planFork } from "../acting/act-on-fork.js";
import { listLanes } from "../reading/timeline/list-lanes.js";
import { ThreadHistory } from "../reading/timeline/thread-history.js";
import { innerNeedle, writeRuns } from "../testing/written-runs.js";
import type { LaneView, MessageView, SearchView, StepRow, StepView } from "../view.js";
import { routes } from "./routes.js";
import { ThreadReaders } from "./thread-readers.js";

let saver: VfsSaver;
let readers: ThreadReaders;
/** The runs that the thread itself started. */
let runs: readonly (LaneView & { readonly namespace: string })[];

beforeAll(async () => {
  saver = VfsSaver.inMemory();
  await writeRuns(saver, "t");
  readers = new ThreadReaders(saver);
  const lanes = await ask<LaneView[]>("lanes", {});
  runs = lanes.map(({ namespace, ...lane }) => ({ ...lane, namespace: namespace ?? "" }));
});
afterAll(async () => saver.close());

async function ask<T>(route: string, query: Record<string, string>): Promise<T> {
  return (await routes[route]?.(readers, new URLSearchParams({ thread: "t", ...query }))) as T;
}

/** Reads the steps of a run as its timeline does. */
async function rowsOf(namespace: string): Promise<readonly StepRow[]> {
  const reader = await readers.of({ threadId: "t", namespace });
  await reader.load();
  return reader.history.rows;
}

async function stored(namespace: string, id: string): Promise<readonly BaseMessage[]> {
  const configurable = { thread_id: "t", checkpoint_ns: namespace, checkpoint_id: id };
  const tuple = await saver.getTuple({ configurable });
  return (tuple?.checkpoint.channel_values["messages"] ?? []) as BaseMessage[];
}

it("each run of a subgraph is a lane, and one that keeps its checkpoints is one", () => {
  expect(runs.map(({ name, thread }) => [name, thread])).toEqual([
    ["inner 1", null],
    ["steady", null],
    ["inner 2", null],
  ]);
  expect(new Set(runs.map(({ namespace }) => namespace)).size).toBe(3);
  expect(runs.map(({ checkpoints }) => checkpoints)).toEqual([22, 6, 22]);
});

it("a run lists the runs inside it, and counts their checkpoints as its own", async () => {
  const [first] = runs;
  const inside = await ask<LaneView[]>("lanes", { namespace: first?.namespace ?? "" });
  expect(inside).toMatchObject([{ name: "deepest", thread: null, checkpoints: 3 }]);
  expect(inside[0]?.namespace).toContain(`${first?.namespace}|deepest:`);
  expect(await rowsOf(inside[0]?.namespace ?? "")).toHaveLength(3);
  expect(await rowsOf(first?.namespace ?? "")).toHaveLength(19);
});

it("every step of a run shows what the model of the subgraph was sent, and nothing of the thread", async () => {
  const questions = new Set<string>();
  for (const { namespace } of runs) {
    for (const { id, messages } of await rowsOf(namespace)) {
      const { context } = await ask<StepView>("step", { namespace, at: id });
      const sent = await stored(namespace, id);
      expect(context.map((message) => message.id)).toEqual(sent.map((message) => message.id));
      expect(messages).toBe(sent.length);
      if (context[0] !== undefined) questions.add(context[0].text);
    }
  }
  expect(questions).toEqual(new Set(["Read the pages.", "Go."]));
});

it("a fold of a run opens to the original in the archive of the thread", async () => {
  const namespace = runs[0]?.namespace ?? "";
  const rows = await rowsOf(namespace);
  const row = rows.find(({ folds }) => folds.length > 0);
  const [fold] = row?.folds ?? [];
  const query = { namespace, at: row?.id ?? "", fold: fold?.id ?? "" };
  const [original] = await ask<MessageView[]>("open", query);
  expect(original?.text).toContain(innerNeedle);
  const happened = await ask<MessageView[]>("messages", { namespace, from: "0", to: "100" });
  expect(happened).toHaveLength(18);
  expect(happened.some(({ text }) => text.startsWith(innerNeedle))).toBe(true);
});

it("a search in a run finds its messages, and one in the thread does not", async () => {
  const namespace = runs[2]?.namespace ?? "";
  const { hits } = await ask<SearchView>("search", { words: "magpie", namespace });
  expect(hits).toMatchObject([{ thread: "t", namespace, isInContext: false }]);
  expect(await ask("search", { words: "magpie" })).toEqual({ hits: [], unread: [] });
  expect(await ask("search", { words: "again" })).toMatchObject({ hits: [{ namespace: "" }] });
});

it("a run that is still going is followed", async () => {
  const growing = VfsSaver.inMemory();
  await writeRuns(growing, "g");
  const history = new ThreadHistory(growing, { threadId: "g", namespace: "steady" });
  await history.read();
  expect(history.rows).toHaveLength(6);
  await writeRuns(growing, "g");
  expect(await history.readOn()).toHaveLength(6);
  await growing.close();
});

it("the agent of a thread that a step of another graph runs lists the runs inside it", async () => {
  const configurable = { thread_id: "t", checkpoint_ns: runs[0]?.namespace ?? "" };
  const called = VfsSaver.inMemory();
  for (const { namespace } of [
    runs[0]!,
    ...(await listLanes(saver, { threadId: "t", namespace: runs[0]!.namespace })),
  ])
    for await (const { checkpoint, metadata } of saver.history("t", namespace ?? ""))
      await called.put(
        { configurable: { ...configurable, checkpoint_ns: namespace ?? "" } },
        checkpoint,
        metadata ?? { source: "loop", step: 0, parents: {} },
        checkpoint.channel_versions,
      );
  expect(await listLanes(called, "t")).toMatchObject([{ name: "deepest", checkpoints: 3 }]);
  await called.close();
});

it("a run that is not there is refused by name, and a step of a run is not forked", async () => {
  await expect(rowsOf("inner:none")).rejects.toThrow(/no checkpoint of a subgraph .* "inner:none"/u);
  const [row] = await rowsOf(runs[0]?.namespace ?? "");
  const request = { thread: "t", at: row?.id ?? "", action: "resume" } as const;
  await expect(planFork({ saver, window: undefined }, request)).rejects.toThrow("has no step or checkpoint");
});
