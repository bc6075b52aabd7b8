import { HumanMessage } from "@langchain/core/messages";
import { estimateTokens, type Fold } from "@palimpsest/context";
import { foldKwargs } from "@palimpsest/context/internal";
import { selectContext } from "@palimpsest/context/selection";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filler, history } from "../../testing/history.js";
import { ThreadMemories } from "./thread-memories.js";
import { ThreadMemory } from "./thread-memory.js";

const messages = history({ steps: 10, result: (step) => filler(200, step) });
const thread = new ThreadMemory({ tokenCounter: estimateTokens });
thread.append(messages);

/** Brings the threads up to date, one after the other, and returns those that had to be built. */
async function built(memories: ThreadMemories, threadIds: readonly string[]): Promise<readonly string[]> {
  const made: string[] = [];
  for (const threadId of threadIds) {
    const create = (): ThreadMemory => {
      made.push(threadId);
      return new ThreadMemory({ tokenCounter: estimateTokens });
    };
    const memory = await memories.sync(threadId, messages, {
      isRewrite: true,
      create,
      open: async () => messages,
    });
    expect(memory.tokens).toBe(thread.tokens);
  }
  return made;
}

describe("the memories of threads", () => {
  it("stay while their tokens are within the limit, and beyond it the least recently used ones go", async () => {
    const memories = new ThreadMemories(3 * thread.tokens);
    expect(thread.tokens).toBeGreaterThan(1_000);
    expect(await built(memories, ["a", "b", "c"])).toEqual(["a", "b", "c"]);
    expect(await built(memories, ["a", "b", "c", "a"])).toEqual([]);
    expect(await built(memories, ["d"])).toEqual(["d"]);
    expect(await built(memories, ["a", "c", "d"])).toEqual([]);
    expect(await built(memories, ["b"])).toEqual(["b"]);
  });

  it("include the newest one, however small the limit", async () => {
    const memories = new ThreadMemories(1);
    expect(await built(memories, ["a", "a", "b", "b"])).toEqual(["a", "b"]);
  });
});

/** Follows a thread that grows by some messages at a time. Returns its memory before and after a sync. */
async function followed(sizes: readonly number[]) {
  const memories = new ThreadMemories(Infinity);
  const made: ThreadMemory[] = [];
  const create = (): ThreadMemory => {
    const memory = new ThreadMemory({ tokenCounter: estimateTokens });
    made.push(memory);
    return memory;
  };
  const read: number[] = [];
  for (let end = 0, at = 0; end < long.length; at++) {
    end += sizes[at % sizes.length] ?? 1;
    memories.follow("a", long.slice(0, end), { isRewrite: true, isNear: true, create });
    read.push(made[0]?.index.chunks.length ?? 0);
  }
  const memory = await memories.sync("a", long, { isRewrite: true, create, open: async () => long });
  return { memory, made, read };
}

const long = history({ steps: 60, result: (step) => filler(60, step % 23) });

function create(): never {
  throw new Error("A memory was begun");
}

describe("a memory that is begun before a selection is due", () => {
  it("reads at most 16 steps at a time", async () => {
    const { read } = await followed([long.length]);
    expect(read).toEqual([16]);
  });

  it("selects what a memory that reads the whole thread at once selects, however the thread grows", async () => {
    const whole = new ThreadMemory({ tokenCounter: estimateTokens });
    whole.append(long);
    const expected = selectContext(whole.index, { budget: 1_500 });
    expect(expected.order.length).toBeGreaterThan(5);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
        async (sizes) => {
          const { memory, made } = await followed(sizes);
          expect(made).toEqual([memory]);
          expect(memory.remembered).toHaveLength(long.length);
          const { mass, tokens, order } = selectContext(memory.index, { budget: 1_500 });
          const places = (blocks: typeof order) =>
            blocks.map(({ chunk, start, end }) => [chunk.index, start, end]);
          expect({ mass, tokens, order: places(order) }).toEqual({
            mass: expected.mass,
            tokens: expected.tokens,
            order: places(expected.order),
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it("is not begun for a thread that is far from its budget or that a selection has folded", () => {
    const memories = new ThreadMemories(Infinity);
    const fold: Fold = {
      id: "steps-0",
      kind: "chunk",
      path: "/context/steps/runs/0-3-abcdef.md",
      covers: ["a"],
      reason: "predicted",
      tokensBefore: 100,
      tokensAfter: 10,
    };
    const standIn = new HumanMessage({
      id: fold.id,
      content: "[steps 0 to 3]",
      additional_kwargs: foldKwargs(fold),
    });
    memories.follow("a", long, { isRewrite: true, isNear: false, create });
    memories.follow("a", [standIn, ...long], { isRewrite: true, isNear: true, create });
    expect(() => memories.follow("a", long, { isRewrite: true, isNear: true, create })).toThrow("begun");
  });
});
