import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent, createPatchToolCallsMiddleware, FilesystemBackend } from "deepagents";
import { WorldModel } from "../world/world-model.js";
import type { StorageState, World } from "../world/world.js";
import { type Agent, agentOf, type AgentOptions } from "./agent.js";

/** Returns deepagents' agent with its defaults, over a directory that all of its threads share, or over its default storage. */
export function deepAgent(world: World, { defaultStorage = false }: AgentOptions = {}): Agent {
  const model = new WorldModel(world);
  const saver = new MemorySaver();
  const { beforeAgent } = createPatchToolCallsMiddleware();
  const patch = (typeof beforeAgent === "object" ? beforeAgent.hook : beforeAgent) ?? (() => undefined);
  const directory = openDirectory(world.storage);
  const agent = createDeepAgent({
    model,
    tools: [...(world.tools ?? [])],
    checkpointer: saver,
    ...(defaultStorage ? {} : { backend: directory.backend }),
  });
  return agentOf({
    graph: agent,
    model,
    saver,
    prepare: (messages) => patch({ messages: [...messages] }, {}),
    files: async (_, values) => new Map([...directory.files(), ...filesInState(values)]),
    close: directory.remove,
  });
}

/** Returns deepagents' backend over a new directory, whose writes fail while `state` is not "sound". */
export function openDirectory(state: StorageState = "sound") {
  const root = mkdtempSync(join(tmpdir(), "failures-"));
  return {
    backend: new BrokenBackend(root, state),
    files: () => filesBelow(root),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Returns path -> text of all files, paths as the agent knows them. */
function filesBelow(root: string): ReadonlyMap<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [`/${relative(root, path)}`, readFileSync(path, "utf8")]));
}

class BrokenBackend extends FilesystemBackend {
  constructor(
    rootDir: string,
    readonly state: StorageState,
  ) {
    super({ rootDir, virtualMode: true });
  }

  override async write(...args: Parameters<FilesystemBackend["write"]>) {
    return this.#refusal() ?? super.write(...args);
  }

  override async uploadFiles(...args: Parameters<FilesystemBackend["uploadFiles"]>) {
    const refused = this.#refusal();
    return refused === undefined
      ? super.uploadFiles(...args)
      : args[0].map(([path]) => ({ path, error: "permission_denied" as const }));
  }

  #refusal(): { readonly error: string } | undefined {
    if (this.state === "throws") throw new Error("ENOSPC: no space left on device");
    return this.state === "refuses" ? { error: "no space left on device" } : undefined;
  }
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
