import type { ContextOptions } from "@palimpsest/langgraph";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import type { WorldModel } from "../world/world-model.js";
import type { AgentOptions } from "./agent.js";

/** Window, in tokens, for a model without a profile: the size that deepagents assumes. */
const assumedWindow = 200_000;

/** Returns the options that a host passes in this world. */
export function palimpsestOptions(
  model: WorldModel,
  files: VirtualFilesystem,
  { offloadTokens }: AgentOptions,
): ContextOptions {
  return {
    files,
    model,
    contextWindow: model.world.window ?? assumedWindow,
    ...(offloadTokens === undefined ? {} : { limits: { offload: offloadTokens } }),
  };
}
