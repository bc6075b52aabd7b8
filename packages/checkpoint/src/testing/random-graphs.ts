import type { RunnableConfig } from "@langchain/core/runnables";
import { ERROR, INTERRUPT, MemorySaver, RESUME } from "@langchain/langgraph-checkpoint";
import type {
  BaseCheckpointSaver,
  CheckpointListOptions,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";

const threads = ["a", "b"];
const namespaces = ["", "sub:1", "sub:1|inner:2"];
const sources = ["loop", "update", "fork"] as const;
const channels = ["x", "messages", "big"];

const place = { thread: fc.constantFrom(...threads), namespace: fc.constantFrom(...namespaces) };
const value = fc.oneof(
  // A MemorySaver loses the key `__proto__`, and PostgresSaver the character NUL.
  fc
    .jsonValue({ maxDepth: 2 })
    .map((json) => JSON.stringify(json))
    .filter((json) => !/__proto__|\\u0000/u.test(json))
    .map((json): unknown => JSON.parse(json)),
  fc.integer({ min: 600, max: 3000 }).map((length) => "long text ".repeat(300).slice(0, length)),
  fc.array(fc.string({ unit: "grapheme" }), { minLength: 8, maxLength: 20 }),
);
/** Special writes replace earlier ones, ordinary ones do not. LangGraph never mixes them in one call. */
const writes = fc.oneof(
  fc.array(fc.tuple(fc.constantFrom(...channels), value), { minLength: 1, maxLength: 3 }),
  fc
    .constantFrom(ERROR, INTERRUPT, RESUME)
    .chain((channel) => value.map((one): PendingWrite[] => [[channel, one]])),
);

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      ...place,
      /** Which earlier checkpoint of the namespace to follow: the newest, or an older one, which makes a fork. */
      parent: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(6)),
      changed: fc.dictionary(fc.constantFrom(...channels), value, { noNullPrototype: true }),
      source: fc.constantFrom(...sources),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("writes" as const),
      ...place,
      at: fc.nat(3),
      task: fc.constantFrom("task-1", "task-2", "1f0a0000-0000-6000-8000-00000000000a"),
      writes,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), thread: place.thread }) },
);

const query = fc.record({
  thread: place.thread,
  /** Without one, all are listed: then in any order between namespaces, and without a limit. */
  namespace: fc.option(place.namespace, { nil: undefined }),
  filter: fc.option(fc.constantFrom(...sources), { nil: undefined }),
  before: fc.option(fc.nat(6), { nil: undefined }),
  id: fc.option(fc.nat(6), { nil: undefined }),
  limit: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
});

/** What a graph does to a saver, and what is asked afterwards. */
export const randomGraph = fc.record({
  actions: fc.array(action, { minLength: 1, maxLength: 25 }),
  queries: fc.array(query, { minLength: 1, maxLength: 8 }),
});
export type RandomGraph = typeof randomGraph extends fc.Arbitrary<infer Graph> ? Graph : never;

interface Known {
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly versions: Readonly<Record<string, number>>;
}

/** Plays the graph on the saver and on a MemorySaver, and returns the answers of both to the queries. */
export async function playGraph(
  saver: BaseCheckpointSaver,
  { actions, queries }: RandomGraph,
): Promise<{ readonly actual: unknown[]; readonly expected: unknown[] }> {
  const player = new Player([saver, new MemorySaver()]);
  for (const [step, each] of actions.entries()) await player.do(each, step);
  const [actual = [], expected = []] = await player.answers(queries);
  return { actual, expected };
}

class Player {
  readonly #savers: readonly BaseCheckpointSaver[];
  /** The checkpoints of each namespace, oldest first. */
  readonly #known = new Map<string, Known[]>();

  constructor(savers: readonly BaseCheckpointSaver[]) {
    this.#savers = savers;
  }

  async do(act: RandomGraph["actions"][number], step: number): Promise<void> {
    if (act.kind === "put") return this.#put(act, step);
    if (act.kind === "delete") {
      for (const saver of this.#savers) await saver.deleteThread(act.thread);
      for (const namespace of namespaces) this.#known.delete(keyOf(act.thread, namespace));
      return;
    }
    const at = this.#at(act.thread, act.namespace, act.at);
    if (!at) return;
    for (const saver of this.#savers)
      await saver.putWrites(configOf(act.thread, act.namespace, at.id), act.writes, act.task, "");
  }

  async #put({ thread, namespace, parent, changed, source }: PutAction, step: number): Promise<void> {
    const before = this.#at(thread, namespace, parent);
    const versions = { ...before?.versions };
    const newVersions: Record<string, number> = {};
    for (const channel of Object.keys(changed)) {
      newVersions[channel] = step + 1.5;
      versions[channel] = step + 1.5;
    }
    const id = `1f0a0000-0000-6${String(step).padStart(3, "0")}-8000-000000000001`;
    const values = { ...before?.values, ...changed };
    const known = this.#known.get(keyOf(thread, namespace)) ?? [];
    this.#known.set(keyOf(thread, namespace), [...known, { id, values, versions }]);
    for (const saver of this.#savers) {
      const checkpoint = {
        v: 4,
        id,
        ts: new Date(step).toISOString(),
        channel_values: structuredClone(values),
        channel_versions: { ...versions },
        versions_seen: { node: { ...versions } },
      };
      const metadata = { source, step, parents: {} };
      await saver.put(configOf(thread, namespace, before?.id), checkpoint, metadata, newVersions);
    }
  }

  async answers(queries: RandomGraph["queries"]): Promise<unknown[][]> {
    return Promise.all(this.#savers.map(async (saver) => this.#answersOf(saver, queries)));
  }

  async #answersOf(saver: BaseCheckpointSaver, queries: RandomGraph["queries"]): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const thread of threads) {
      for (const namespace of namespaces) {
        found.push(plain(await saver.getTuple(configOf(thread, namespace))));
        for (const { id } of this.#known.get(keyOf(thread, namespace)) ?? [])
          found.push(plain(await saver.getTuple(configOf(thread, namespace, id))));
      }
    }
    for (const each of queries) found.push(await this.#list(saver, each));
    return found;
  }

  async #list(saver: BaseCheckpointSaver, each: RandomGraph["queries"][number]): Promise<unknown> {
    const { thread, namespace, filter, limit } = each;
    const idAt = (back: number | undefined): string | undefined =>
      back === undefined ? undefined : this.#at(thread, namespace ?? "", back)?.id;
    const before = idAt(each.before);
    const options: CheckpointListOptions = {
      ...(filter === undefined ? {} : { filter: { source: filter } }),
      ...(before === undefined ? {} : { before: configOf(thread, namespace ?? "", before) }),
      ...(limit === undefined || namespace === undefined ? {} : { limit }),
    };
    const tuples: unknown[] = [];
    for await (const tuple of saver.list(configOf(thread, namespace, idAt(each.id)), options))
      tuples.push(plain(tuple));
    return namespace === undefined ? tuples.map((one) => JSON.stringify(one)).sort() : tuples;
  }

  /** Returns the checkpoint that is this many before the newest, if there is one. */
  #at(thread: string, namespace: string, back: number): Known | undefined {
    return this.#known.get(keyOf(thread, namespace))?.at(-1 - back);
  }
}

type PutAction = Extract<RandomGraph["actions"][number], { kind: "put" }>;

function keyOf(thread: string, namespace: string): string {
  return JSON.stringify([thread, namespace]);
}

function configOf(thread: string, namespace?: string, id?: string): RunnableConfig {
  return {
    configurable: {
      thread_id: thread,
      ...(namespace === undefined ? {} : { checkpoint_ns: namespace }),
      ...(id === undefined ? {} : { checkpoint_id: id }),
    },
  };
}

/** Leaves out absent fields, which some savers return as undefined. */
function plain(tuple: CheckpointTuple | undefined): unknown {
  return tuple === undefined
    ? "none"
    : JSON.parse(JSON.stringify(sorted({ parentConfig: null, pendingWrites: [], ...tuple })));
}

/** Sorts the keys of objects: engines keep different orders of them. */
function sorted(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  if (Array.isArray(given)) return given.map(sorted);
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, part]) => part !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}
