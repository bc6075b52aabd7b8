import { describe, expect, it } from "vitest";
import type { RecallEvent } from "./options.js";
import { lasting } from "./testing/engines.js";
import { fill, texts } from "./testing/fill.js";
import { subject, SubjectEmbeddings } from "./testing/subject-embeddings.js";

describe.each(lasting)("RecallIndex in $name, reopened", (engine) => {
  it("finds passages by words and by meaning without embedding them again", async () => {
    const place = await engine.newPlace();
    const options = { embeddings: new SubjectEmbeddings() };
    const first = await fill(engine.open(place, options));
    await first.search("bird", { thread: "t1" });
    await first.close();
    const embeddings = new SubjectEmbeddings();
    const second = await engine.open(place, { ...options, embeddings });
    const [hit] = await second.search("a wing", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
    expect(embeddings.calls).toBe(0);
  });

  it("computes the vectors again for a new model name", async () => {
    const place = await engine.newPlace();
    const first = await fill(engine.open(place, { embeddings: new SubjectEmbeddings() }));
    await first.search("bird", { thread: "t1" });
    await first.close();
    const events: RecallEvent[] = [];
    const wide = Object.assign(new SubjectEmbeddings(), {
      embedDocuments: (all: string[]) => Promise.resolve(all.map((text) => [...subject(text), 0.2])),
      embedQuery: (text: string) => Promise.resolve([...subject(text), 0.2]),
    });
    const onEvent = (event: RecallEvent) => void events.push(event);
    const same = await engine.open(place, { embeddings: wide, onEvent });
    expect((await same.search("harbour wing", { thread: "t1" })).map(({ text }) => text)).toEqual([texts[1]]);
    expect(events.map(({ type }) => type)).toEqual(["embeddings_failed"]);
    await same.close();
    const other = await engine.open(place, { embeddings: wide, embeddingModel: "wide", onEvent });
    expect((await other.search("wing", { thread: "t1" })).at(0)?.text).toBe(texts[0]);
    expect(events).toHaveLength(1);
    await other.close();
  });
});
