import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { CodecBench } from "../testing/round-trip.js";

const numbered = (count: number): HumanMessage[] =>
  Array.from(
    { length: count },
    (_, index) => new HumanMessage({ content: `message ${index}`, id: `${index}` }),
  );

describe("a list of messages that grows by one a step", () => {
  it.each([0, 1000, 2500, 4000, 4999])(
    "stores content %d of 5,000 at the next step after it was replaced in place",
    async (at) => {
      const bench = new CodecBench();
      let messages = numbered(5000);
      for (let step = 0; step < 3; step++) {
        messages = [...messages, new HumanMessage(`step ${step}`)];
        bench.encode(messages);
        const changed = messages[at];
        if (changed) changed.content = `changed ${step}`;
        const back = (await bench.roundTrip([...messages])) as HumanMessage[];
        expect(back[at]?.content).toBe(`changed ${step}`);
      }
    },
  );

  it("stores a change inside one of the newest 256 messages of 5,000 at the next step", async () => {
    const bench = new CodecBench();
    let messages = numbered(5000);
    for (const back of [1, 100, 250]) {
      bench.encode(messages);
      Object.assign(messages.at(-back)?.additional_kwargs ?? {}, { note: back });
      messages = [...messages, new HumanMessage(`after ${back}`)];
      const read = (await bench.roundTrip(messages)) as HumanMessage[];
      expect(read.at(-back - 1)?.additional_kwargs).toEqual({ note: back });
    }
  });

  it.each([3000, 8000])(
    "stores a change inside any of %d messages within one step for each 1,024",
    async (count) => {
      const bench = new CodecBench();
      let messages = numbered(count);
      bench.encode(messages);
      const changed = [0, 1100, count - 1500];
      for (const [nth, at] of changed.entries()) {
        Object.assign(messages[at]?.additional_kwargs ?? {}, { note: { at } });
        for (let step = 0; step <= count / 1024; step++) {
          messages = [...messages, new HumanMessage(`step ${step}`)];
          bench.encode(messages);
        }
        const back = (await bench.roundTrip([...messages])) as HumanMessage[];
        for (const each of changed.slice(0, nth + 1))
          expect(back[each]?.additional_kwargs).toEqual({ note: { at: each } });
      }
    },
  );
});
