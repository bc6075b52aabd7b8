import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { FilesystemBackend } from "deepagents";
import { charsOverFour, textOf } from "../../data/text-of.js";
import { deepAgentsRun } from "../../policies/deep-agents.js";
import type { HorizonSystem } from "../system.js";
import { directoryBytes } from "./directory-bytes.js";

/** deepagents' summarization with its defaults and its history in a directory; searches with its backend's `grep`. */
export const deepAgents: HorizonSystem = {
  name: "deepagents",
  start({ window }) {
    const rootDir = mkdtempSync(join(tmpdir(), "horizon-"));
    const backend = new FilesystemBackend({ rootDir, virtualMode: true });
    const run = deepAgentsRun(window, backend);
    let sent: readonly BaseMessage[] = [];
    let chunk = 0;
    return {
      async step(added) {
        sent = await run.context(added, { chunk: chunk++, needed: [] });
        return charsOverFour(sent);
      },
      prompt: () => sent.map(textOf).join("\n"),
      search: async (name) => {
        const { matches = [] } = await backend.grep(name, "/");
        return matches.map(({ text }) => text).join("\n");
      },
      storedBytes: () => directoryBytes(rootDir),
      close: () => rmSync(rootDir, { recursive: true, force: true }),
    };
  },
};
