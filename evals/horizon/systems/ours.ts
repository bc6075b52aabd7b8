import {
  compactionNode,
  fileTools,
  foldNode,
  searchHistoryTool,
  type PredictiveContextOptions,
} from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { NodeThread } from "../../metrics/node-thread.js";
import { measuredNode } from "../../policies/predictive-node.js";
import type { HorizonSystem } from "../system.js";
import { inDirectory } from "./in-directory.js";
import { promptsOf } from "./of-policy.js";
import { SummaryWriter } from "./summary-writer.js";

/** The real compaction node with its defaults; searches with the agent's own `grep`. */
export const ourLadder = ours("Palimpsest ladder", (files, window) => ({
  node: compactionNode({ files, model: new SummaryWriter(window), contextWindow: window }),
  search: grepOf(files),
}));

/**
 * The real fold node (AgentFold) with its defaults; searches with the agent's own `grep`. The session holds no directives, so
 * that every block is an automatic one.
 */
export const ourFolding = ours("Palimpsest folding", (files, window) => ({
  node: foldNode({ files, model: new SummaryWriter(window), contextWindow: window }),
  search: grepOf(files),
}));

/** The predictive node with its defaults. */
export const ourPredictive = predictive("Palimpsest predictive", {});

/**
 * Returns PACE through the real node, with the published window as its budget, from the first step as published. Words are
 * hashed and the shorter forms are cut: no encoder and no model is at hand in a session without a network.
 */
export function ourPace(pressureGain: number): HorizonSystem {
  const name = `Palimpsest PACE, lambda ${pressureGain}`;
  return predictive(name, { policy: "pace", pressureGain, from: "start" });
}

/** Searches with the agent's own `search_history`, whose index is filled as steps are archived, which is a part of each step. */
function predictive(name: string, options: Partial<PredictiveContextOptions>): HorizonSystem {
  return ours(name, (files, budget) => {
    const node = measuredNode({ files, budget }, options);
    const search = searchHistoryTool({ files, index: RecallIndex.inMemory() });
    return { node, search: (query, config) => search.invoke({ query }, config) };
  });
}

interface Made {
  readonly node: ConstructorParameters<typeof NodeThread>[0];
  readonly search: (name: string, config: NodeThread["config"]) => Promise<unknown>;
}

function grepOf(files: VirtualFilesystem): Made["search"] {
  const grep = fileTools({ files }).find(({ name }) => name === "grep");
  return async (pattern, config) => grep?.invoke({ pattern, path: "/context/" }, config);
}

/** Returns a node of ours with its archive in a directory. */
function ours(name: string, make: (files: VirtualFilesystem, window: number) => Made): HorizonSystem {
  return {
    name,
    start: ({ window }) =>
      inDirectory((root) => {
        const { node, search } = make(VirtualFilesystem.fromDirectory(root), window);
        const thread = new NodeThread(node, "horizon");
        return {
          ...promptsOf({ context: (added) => thread.step(added) }),
          search: async (found) => String(await search(found, thread.config)),
        };
      }),
  };
}
