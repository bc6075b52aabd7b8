import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { chat, historyOf, textsOf, thread, type Chat } from "./chat.js";
import type { Rival } from "./rivals.js";

/** What was read of a thread with forks, by the name of the read. */
export type ForkReads = ReadonlyMap<string, string>;

type Durability = "sync" | "exit";

/** A checkpoint to read again at the end. */
type Points = Map<string, RunnableConfig>;

/** Branches off at a checkpoint. Returns what the run returns. */
type Fork = (graph: Chat, at: RunnableConfig, durability: Durability) => Promise<string[]>;

const turns = 3;

const forks: Readonly<Record<string, Fork>> = {
  "a new message": async (graph, at, durability) =>
    textsOf(await graph.invoke({ messages: [new HumanMessage("instead")] }, { ...at, durability })),
  "an edit": async (graph, at, durability) => {
    const edited = await graph.updateState(at, { messages: [new HumanMessage("edited")] }, "__start__");
    return textsOf(await graph.invoke(null, { ...edited, durability }));
  },
  "a replay": async (graph, at, durability) => textsOf(await graph.invoke(null, { ...at, durability })),
};

/**
 * Forks each checkpoint of a thread in each way. Reads each branch live, then again, and at the end once more, when it was
 * abandoned for others, as the original was. A right saver reads the same as any other: compare the reads with another's.
 */
export async function forkReads(rival: Rival): Promise<ForkReads> {
  const reads = new Map<string, string>();
  for (const durability of ["sync", "exit"] as const) await readForks(rival, durability, reads);
  return reads;
}

async function readForks(
  { create, isDelta }: Rival,
  durability: Durability,
  reads: Map<string, string>,
): Promise<void> {
  const storage = create();
  const { saver, close } = storage.open();
  let answers = 0;
  const graph = chat({ saver, isDelta, next: () => new AIMessage(`answer ${answers++}`) });
  for (let turn = 0; turn < turns; turn++)
    await graph.invoke({ messages: [new HumanMessage(`turn ${turn}`)] }, { ...thread, durability });
  const points: Points = new Map();
  // Where there is no message yet, a graph with delta channels has a checkpoint that another has not.
  const original = (await historyOf(graph)).filter(({ values }) => textsOf(values).length > 0);
  for (const [index, { config, values }] of original.entries()) {
    const name = `${durability}, at ${index}`;
    reads.set(name, JSON.stringify(textsOf(values)));
    points.set(name, config);
    for (const [way, fork] of Object.entries(forks)) {
      reads.set(`${name}, ${way}, live`, await attempt(async () => fork(graph, config, durability)));
      const again = await graph.getState(thread);
      reads.set(`${name}, ${way}, again`, JSON.stringify(textsOf(again.values)));
      points.set(`${name}, ${way}`, again.config);
    }
  }
  for (const [name, at] of points)
    reads.set(`${name}, at the end`, await attempt(async () => textsOf((await graph.getState(at)).values)));
  await close();
  storage.remove();
}

/** An error of the graph is a result too: a plain channel has it as well. */
async function attempt(read: () => Promise<string[]>): Promise<string> {
  return read().then(JSON.stringify, (error: unknown) => (error instanceof Error ? error.name : "an error"));
}

/** Returns the names of the reads that differ from those of the reference. Pure. */
export function wrongReads(reads: ForkReads, reference: ForkReads): string[] {
  const names = new Set([...reference.keys(), ...reads.keys()]);
  return [...names].filter((name) => reference.get(name) !== reads.get(name));
}
