import type { Embeddings } from "@langchain/core/embeddings";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import { EventEmitter, once } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import type { RecallEvent } from "./options.js";
import type { RecallOptions } from "./options.js";
import type { RecallIndex } from "./recall-index.js";
import { engines } from "./testing/engines.js";
import { fill, texts } from "./testing/fill.js";
import { SubjectEmbeddings } from "./testing/subject-embeddings.js";

const never = new Promise<never>(() => {});
const failing: [string, Partial<Embeddings>][] = [
  ["are down", { embedDocuments: () => Promise.reject(new Error("connect ECONNREFUSED")) }],
  ["do not answer", { embedDocuments: () => never }],
  ["give no numbers", { embedDocuments: (texts) => Promise.resolve(texts.map(() => [NaN, 1])) }],
  ["give empty vectors", { embedDocuments: (texts) => Promise.resolve(texts.map(() => [])) }],
  ["give too few", { embedDocuments: () => Promise.resolve([]) }],
  [
    "give vectors of different sizes",
    { embedDocuments: (texts) => Promise.resolve(texts.map((_, at) => Array(at + 1).fill(1))) },
  ],
  [
    "give a question of another size",
    {
      embedDocuments: (texts) => Promise.resolve(texts.map(() => [1, 2])),
      embedQuery: async () => [1, 2, 3],
    },
  ],
];

describe.each(engines)("RecallIndex in $name with failing embeddings", (engine) => {
  const opened: RecallIndex[] = [];
  afterAll(async () => Promise.all(opened.map(async (index) => index.close())));

  async function open(options: RecallOptions): Promise<RecallIndex> {
    const index = await engine.open(await engine.newPlace(), options);
    opened.push(index);
    return index;
  }

  it.each(failing)("searches by words and reports the failure when the embeddings %s", async (_, broken) => {
    const events: RecallEvent[] = [];
    const embeddings = Object.assign(new FakeEmbeddings(), broken) as Embeddings;
    const index = await fill(
      open({ embeddings, embeddingTimeout: 100, onEvent: (event) => events.push(event) }),
    );
    const hits = await index.search("harbour", { thread: "t1" });
    expect(hits.map(({ text }) => text)).toEqual([texts[1]]);
    expect(events.map(({ type }) => type)).toEqual(["embeddings_failed"]);
  });

  it("treats zero vectors as similar to nothing", async () => {
    const zeros: Partial<Embeddings> = {
      embedDocuments: (all) => Promise.resolve(all.map(() => [0, 0])),
      embedQuery: () => Promise.resolve([0, 0]),
    };
    const index = await fill(open({ embeddings: Object.assign(new FakeEmbeddings(), zeros) }));
    const [hit] = await index.search("harbour", { thread: "t1" });
    expect(hit?.text).toBe(texts[1]);
  });

  it("continues to embed texts that a slow encoder did not finish in time", async () => {
    const events: RecallEvent[] = [];
    const slow = new SubjectEmbeddings();
    const embed = slow.embedDocuments.bind(slow);
    const answer = new EventEmitter();
    const ready = once(answer, "now");
    slow.embedDocuments = async (all) => {
      await ready;
      return embed(all);
    };
    const onEvent = (event: RecallEvent) => void events.push(event);
    const index = await fill(open({ embeddings: slow, embeddingTimeout: 500, onEvent }));
    expect(await index.search("wing", { thread: "t1" })).toEqual([]);
    answer.emit("now");
    expect((await index.search("wing", { thread: "t1" })).at(0)?.text).toBe(texts[0]);
    expect(events.map(({ type }) => type)).toEqual(["embeddings_failed"]);
    expect(slow.calls).toBe(texts.length);
  });
});
