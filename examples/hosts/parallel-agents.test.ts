import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { estimateTokens } from "@palimpsest/context";
import { withCompaction } from "@palimpsest/langgraph";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const turns = 20;
const window = 6_000;
const folder = mkdtempSync(join(tmpdir(), "palimpsest-parallel-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const durabilities = ["async", "sync"] as const;

it.each(durabilities)(
  "agents and notes of one step stay whole over restarts, stored %s",
  async (durability) => {
    const path = join(folder, `${durability}.db`);
    const prompts: number[] = [];
    let messages: readonly BaseMessage[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const saver = VfsSaver.fromPath(path);
      const agent = (name: string) =>
        withCompaction(
          async (state: { messages: BaseMessage[] }) => {
            prompts.push(estimateTokens(state.messages));
            return { messages: [new AIMessage(`${name} ${turn}: ${"words of a reply ".repeat(60)}`)] };
          },
          { files: saver.files, contextWindow: window },
        );
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("first", agent("first"))
        .addNode("second", agent("second"))
        .addNode("note", async () => ({ messages: [new AIMessage(`note ${turn}`)] }))
        .addEdge(START, "first")
        .addEdge(START, "second")
        .addEdge(START, "note")
        .compile({ checkpointer: saver });
      const config = { configurable: { thread_id: "1" }, durability };
      ({ messages } = await graph.invoke({ messages: [new HumanMessage(`question ${turn}`)] }, config));
      await saver.close();
    }
    const said = messages.map(({ text }) => text.split(":")[0]);
    expect(said).toEqual(
      Array.from({ length: turns }, (_, turn) => [
        `question ${turn}`,
        `first ${turn}`,
        `note ${turn}`,
        `second ${turn}`,
      ]).flat(),
    );
    expect(Math.max(...prompts)).toBeLessThanOrEqual(window);
  },
);
