import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { predictiveContextNode, searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour, textOf } from "../../data/text-of.js";
import type { HorizonSystem } from "../system.js";
import { directoryBytes } from "./directory-bytes.js";

const config = { configurable: { thread_id: "horizon" } };

/**
 * The predictive node with its defaults and its archive in a directory; searches with the agent's own `search_history`, whose
 * index is filled as steps are archived, which is a part of each step.
 */
export const ourPredictive: HorizonSystem = {
  name: "Palimpsest predictive",
  start({ window }) {
    const root = mkdtempSync(join(tmpdir(), "horizon-"));
    const files = VirtualFilesystem.fromDirectory(root);
    const node = predictiveContextNode({
      files,
      budget: window,
      tokenCounter: charsOverFour,
      onError: "throw",
    });
    const index = RecallIndex.inMemory();
    const search = searchHistoryTool({ files, index });
    let messages: readonly BaseMessage[] = [];
    return {
      async step(added) {
        const next = [...messages, ...added];
        const after = (await node({ messages: next }, config))["messages"];
        messages = Overwrite.isInstance<readonly BaseMessage[]>(after) ? after.value : next;
        return charsOverFour(messages);
      },
      prompt: () => messages.map(textOf).join("\n"),
      search: async (name) => String(await search.invoke({ query: name }, config)),
      storedBytes: () => directoryBytes(root),
      close: () => rmSync(root, { recursive: true, force: true }),
    };
  },
};
