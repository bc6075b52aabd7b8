import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";

/** A provider that numbers the calls of each turn anew. */
export const reusedCallId: Scenario = {
  title: "The same tool call id in two turns, both results large",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const pages = [rows("first", 2_000), rows("second", 2_000)];
    const again = { id: "call_0" };
    return {
      tools: [textTool("book", (page) => (pages[page] ?? []).join("\n"))],
      reply: script(call("book", { page: 0 }, again), call("book", { page: 1 }, again)),
      originals: pages.flat(),
      shown: pages.map(([head = ""]) => head),
    };
  },
  play: (agent) => agent.run([new HumanMessage("Read both pages.")]),
};
