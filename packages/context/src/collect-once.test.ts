import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectOnce, distinctOnce, sumOnce } from "./collect-once.js";

const pool = Array.from({ length: 120 }, (_, index) => new HumanMessage(`${index}`));
const number = (message: BaseMessage) => Number(message.content);
/** One of the messages has no value. */
const valueOf = (message: BaseMessage) => (number(message) === 13 ? undefined : message.text);
const isFound = (message: BaseMessage) => number(message) % 3 === 0;

/** The lists of a thread over time: each is the one before, cut somewhere and grown again by other messages. */
const lists = fc
  .array(
    fc.record({ kept: fc.nat(120), added: fc.shuffledSubarray(pool, { minLength: 0, maxLength: 90 }) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((steps) => {
    const grown: (readonly BaseMessage[])[] = [];
    for (const { kept, added } of steps) grown.push([...(grown.at(-1) ?? []).slice(0, kept), ...added]);
    return grown;
  });

describe("a list that was read before", () => {
  it("gives the same answers as one that is read for the first time", () => {
    fc.assert(
      fc.property(lists, (history) => {
        const collect = collectOnce((message) => (isFound(message) ? number(message) : undefined));
        const sum = sumOnce(number);
        const isDistinct = distinctOnce(valueOf);
        for (const list of history) {
          const found = list.flatMap((message, index) =>
            isFound(message) ? [{ index, value: number(message) }] : [],
          );
          expect(collect(list)).toEqual(found);
          expect(sum(list)).toBe(list.reduce((total, message) => total + number(message), 0));
          expect(isDistinct(list)).toBe(distinctOnce(valueOf)(list));
        }
      }),
    );
  });

  it("is not changed by what a later list adds", () => {
    const collect = collectOnce(number);
    const before = collect(pool.slice(0, 50));
    collect(pool);
    expect(before).toHaveLength(50);
  });

  it("is read from its first new message on", () => {
    const read: number[] = [];
    const collect = collectOnce((message) => void read.push(number(message)));
    const sum = sumOnce((message) => read.push(number(message)));
    collect(pool.slice(0, 100));
    sum(pool.slice(0, 100));
    read.length = 0;
    collect(pool.slice(0, 103));
    sum(pool.slice(0, 103));
    sum(pool.slice(0, 60));
    expect(read).toEqual([100, 101, 102, 100, 101, 102]);
  });

  it("is distinct if every message has a value of its own, and not if one lacks it or two share it", () => {
    const isDistinct = distinctOnce(valueOf);
    const answers = [14, 60, 70, 60, 80].map((end) => isDistinct(pool.slice(14, end)));
    expect(answers).toEqual([true, true, true, true, true]);
    const whole = pool.slice(14, 80);
    expect(isDistinct([...whole, ...pool.slice(20, 21)])).toBe(false);
    expect(isDistinct([...whole, ...pool.slice(13, 14)])).toBe(false);
    expect(isDistinct([...whole, ...pool.slice(90, 91), ...pool.slice(90, 91)])).toBe(false);
    expect(isDistinct([...whole, ...pool.slice(90, 91)])).toBe(true);
  });
});
