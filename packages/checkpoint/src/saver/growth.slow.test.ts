import { AIMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { temporaryPath } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const contentBytes = 2048;

interface RunOptions {
  readonly steps: number;
  /** Characters of a file that stays in the state. */
  readonly fileSize?: number;
}

/** Returns the size of the file after a thread of that many steps, each of which adds 2 KB that cannot be compressed. */
async function storedBytes({ steps, fileSize = 0 }: RunOptions): Promise<number> {
  const path = temporaryPath();
  const saver = VfsSaver.fromPath(path);
  let left = steps;
  const State = new StateSchema({ messages: MessagesValue, file: z.string().default("") });
  const graph = new StateGraph(State)
    .addNode("step", () => ({
      messages: [new AIMessage(randomBytes((contentBytes * 3) / 4).toString("base64"))],
    }))
    .addEdge(START, "step")
    .addConditionalEdges("step", () => (--left > 0 ? "step" : END))
    .compile({ checkpointer: saver });
  const file = randomBytes(fileSize).toString("base64").slice(0, fileSize);
  await graph.invoke({ messages: [], file }, { configurable: { thread_id: "t" }, recursionLimit: 1e6 });
  await saver.close();
  return statSync(path).size;
}

describe("the size of a file", () => {
  it("doubles when a thread's length doubles, and stays below twice the content", async () => {
    const sizes = [];
    for (const steps of [100, 200]) sizes.push([steps, await storedBytes({ steps })] as const);
    for (const [index, [steps, size]] of sizes.entries()) {
      expect(size / (steps * contentBytes)).toBeLessThan(2);
      expect(size / (sizes[index - 1]?.[1] ?? size)).toBeLessThan(2.05);
    }
  });

  it("contains a large value that does not change once", async () => {
    const fileSize = 200_000;
    const difference = (await storedBytes({ steps: 60, fileSize })) - (await storedBytes({ steps: 60 }));
    expect(difference).toBeLessThan(1.1 * fileSize);
  });
});
