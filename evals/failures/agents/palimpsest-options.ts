import type { ContextOptions } from "@palimpsest/langgraph";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import type { WorldModel } from "../world/world-model.js";
import type { AgentOptions } from "./agent.js";

/** Tokens that a host states for a model that does not say what it takes: deepagents assumes a window of this size. */
const assumedWindow = 200_000;

/** Returns the options that a host would give in this world. */
export function palimpsestOptions(
  model: WorldModel,
  files: VirtualFilesystem,
  { offloadTokens }: AgentOptions,
): ContextOptions {
  return {
    files,
    model,
    contextWindow: model.world.window ?? assumedWindow,
    ...(offloadTokens === undefined ? {} : { offloadTokens }),
  };
}
