import type { World } from "./world.js";

/** Returns the list to which every tool of a new world adds what it returns, at the moment it does. */
export function recordOutputs({ tools = [] }: World): readonly string[] {
  const outputs: string[] = [];
  for (const tool of tools) {
    const { func } = tool;
    tool.func = async (...args: Parameters<typeof func>) => {
      const output: unknown = await func(...args);
      outputs.push(typeof output === "string" ? output : JSON.stringify(output));
      return output;
    };
  }
  return outputs;
}
