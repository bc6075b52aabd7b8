import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import {
  predictiveContextNode,
  searchHistoryTool,
  type PredictiveContextOptions,
} from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour, textOf } from "../../data/text-of.js";
import type { HorizonSystem } from "../system.js";
import { directoryBytes } from "./directory-bytes.js";

const config = { configurable: { thread_id: "horizon" } };

/** The predictive node with its defaults. */
export const ourPredictive: HorizonSystem = predictive("Palimpsest predictive", {});

/**
 * Returns PACE through the real node, with the published window as its budget, from the first step as published. Words are
 * hashed and the shorter forms are cut: no encoder and no model is at hand in a session without a network.
 */
export function ourPace(pressureGain: number): HorizonSystem {
  const name = `Palimpsest PACE, lambda ${pressureGain}`;
  return predictive(name, { policy: "pace", pressureGain, from: "start" });
}

/**
 * Returns the predictive node with its archive in a directory; searches with the agent's own `search_history`, whose
 * index is filled as steps are archived, which is a part of each step.
 */
function predictive(name: string, options: Partial<PredictiveContextOptions>): HorizonSystem {
  return {
    name,
    start({ window }) {
      const root = mkdtempSync(join(tmpdir(), "horizon-"));
      const files = VirtualFilesystem.fromDirectory(root);
      const node = predictiveContextNode({
        files,
        budget: window,
        tokenCounter: charsOverFour,
        onError: "throw",
        ...options,
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
}
