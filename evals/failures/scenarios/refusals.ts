import type { Agent } from "../agents/agent.js";
import type { Finding } from "../scenario.js";

/** Returns how many prompts of the agent the provider refused as too long; one that is met is one too many. */
export async function refusals({ calls }: Agent): Promise<Finding> {
  const refused = calls.filter(({ outcome, purpose }) => outcome === "refused" && purpose === "agent").length;
  return { text: `prompts refused as too long: ${refused}`, sound: refused === 0 };
}
