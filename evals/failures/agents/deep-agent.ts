import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent, createPatchToolCallsMiddleware } from "deepagents";
import { WorldModel } from "../world/world-model.js";
import type { World } from "../world/world.js";
import type { Agent, AgentOptions } from "./agent.js";
import { BrokenBackend } from "./broken-backend.js";
import { readDirectory } from "./read-directory.js";
import { runGraph } from "./run-graph.js";

/** Returns deepagents' agent with its defaults, over a directory that all of its threads share, or over its default storage. */
export function deepAgent(world: World, { defaultStorage = false }: AgentOptions = {}): Agent {
  const model = new WorldModel(world);
  const saver = new MemorySaver();
  const { beforeAgent } = createPatchToolCallsMiddleware();
  const patch = (typeof beforeAgent === "object" ? beforeAgent.hook : beforeAgent) ?? (() => undefined);
  const root = mkdtempSync(join(tmpdir(), "failures-"));
  const agent = createDeepAgent({
    model,
    tools: [...(world.tools ?? [])],
    checkpointer: saver,
    ...(defaultStorage ? {} : { backend: new BrokenBackend(root, world.storage ?? "sound") }),
  });
  return runGraph({
    graph: agent,
    model,
    saver,
    prepare: (messages) => patch({ messages: [...messages] }, {}),
    files: async (_, values) => new Map([...readDirectory(root), ...filesInState(values)]),
    close: () => rmSync(root, { recursive: true, force: true }),
  });
}

function filesInState(values: Record<string, unknown>): ReadonlyMap<string, string> {
  const files = (values["files"] ?? {}) as Record<string, { readonly content: unknown }>;
  return new Map(
    Object.entries(files).map(([path, { content }]) => [
      path,
      Array.isArray(content) ? content.join("\n") : String(content),
    ]),
  );
}
