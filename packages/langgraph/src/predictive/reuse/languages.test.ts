import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { languages } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { messagesAfter } from "../../testing/history.js";
import { predictiveContextNode } from "../predictive-context-node.js";

it.each(languages)(
  "sends the answer to a question about an old turn, in $name",
  async ({ facts, others }) => {
    const found: string[] = [];
    for (const { fact, question } of facts) {
      const turns = Array.from({ length: 120 }, (_, turn) => [
        new HumanMessage({ id: `u${turn}`, content: `${turn}. ${others[turn % 4]}` }),
        new AIMessage({ id: `a${turn}`, content: turn === 9 ? fact : `${others[(turn + 1) % 4]} ${turn}.` }),
      ]).flat();
      const thread = [...turns, new HumanMessage({ id: "q", content: question })];
      const node = predictiveContextNode({
        files: VirtualFilesystem.inMemory(),
        budget: 1_500,
        policy: "reuse",
      });
      const sent = messagesAfter(
        await node({ messages: thread }, { configurable: { thread_id: "t" } }),
        thread,
      );
      expect(sent.length).toBeLessThan(thread.length);
      if (sent.some(({ text }) => text.includes(fact))) found.push(fact);
    }
    expect(found).toEqual(facts.map(({ fact }) => fact));
  },
);
