import { FilesystemBackend } from "deepagents";
import { deepAgentsRun } from "../../policies/deep-agents.js";
import type { HorizonSystem } from "../system.js";
import { inDirectory } from "./in-directory.js";
import { promptsOf } from "./of-policy.js";

/** deepagents' summarization with its defaults and its history in a directory; searches with its backend's `grep`. */
export const deepAgents: HorizonSystem = {
  name: "deepagents",
  start: ({ window }) =>
    inDirectory((rootDir) => {
      const backend = new FilesystemBackend({ rootDir, virtualMode: true });
      return {
        ...promptsOf(deepAgentsRun(window, backend)),
        search: async (name) => {
          const { matches = [] } = await backend.grep(name, "/");
          return matches.map(({ text }) => text).join("\n");
        },
      };
    }),
};
