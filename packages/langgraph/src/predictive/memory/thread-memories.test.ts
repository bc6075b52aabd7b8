import { estimateTokens } from "@palimpsest/context";
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
