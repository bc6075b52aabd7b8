import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FilesystemBackend, createSummarizationMiddleware } from "deepagents";
import type { World } from "../world/world.js";
import type { Agent } from "./agent.js";
import { langchainAgent } from "./langchain-agent.js";
import { readDirectory } from "./read-directory.js";

export interface SummarizingOptions {
  /** Messages at which it summarizes. */
  readonly trigger: number;
  /** Messages that it keeps. */
  readonly keep: number;
}

/** Returns a `createAgent` agent with deepagents' summarization alone, over a directory. */
export function summarizingAgent(world: World, { trigger, keep }: SummarizingOptions): Agent {
  const rootDir = mkdtempSync(join(tmpdir(), "failures-"));
  const agent = langchainAgent(world, (model) =>
    createSummarizationMiddleware({
      model,
      backend: new FilesystemBackend({ rootDir, virtualMode: true }),
      trigger: { type: "messages", value: trigger },
      keep: { type: "messages", value: keep },
    }),
  );
  return {
    ...agent,
    files: async () => readDirectory(rootDir),
    close: () => rmSync(rootDir, { recursive: true, force: true }),
  };
}
