import type { BaseMessage } from "@langchain/core/messages";
import { isAi } from "@palimpsest/context/internal";
import { compactionNode } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { stepsOf } from "../data/steps.js";
import { meteredModels } from "./metered-models.js";
import { NodeThread } from "../metrics/node-thread.js";
import { withUsage, type MeteredPrompt, type Situation } from "./metered-prompt.js";

const contextWindow = 32_000;
/** Calls after which the host changes the model, and calls that count as after it. */
const changes = { every: 20, after: 4 };

/** Returns the prompts that the real compaction node sends in a generated run whose host changes the model again and again. */
export async function generatedPrompts(seed: number, steps: number): Promise<readonly MeteredPrompt[]> {
  const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow });
  const thread = new NodeThread(node, "metered");
  const prompts: MeteredPrompt[] = [];
  let before: MeteredPrompt["before"] | undefined;
  for (const [call, { added }] of stepsOf(generateTrajectory({ seed, steps })).entries()) {
    const reported = before;
    const messages = await thread.step(
      added.map((message) => (isAi(message) && reported ? withUsage(message, reported) : message)),
    );
    const inputTokens = modelAt(call).inputTokens(messages, call);
    if (before !== undefined && call > 2) {
      const situation = situationAt(call, before.messages, messages);
      prompts.push({ situation, messages, inputTokens, contextWindow, before });
    }
    before = { messages: [...messages], inputTokens, model: modelAt(call).name };
  }
  return prompts;
}

function modelAt(call: number) {
  return meteredModels[Math.floor(call / changes.every) % meteredModels.length]!;
}

/** At a change nothing is known of the new model, whatever else happens in that call. */
function situationAt(call: number, before: readonly BaseMessage[], now: readonly BaseMessage[]): Situation {
  if (call >= changes.every && call % changes.every === 0) return "at a change of model";
  if (before.some((message, at) => message.id !== now[at]?.id || message.text !== now[at]?.text))
    return "right after a fold";
  const since = call % changes.every;
  return call >= changes.every && since > 0 && since <= changes.after
    ? "after a change of model"
    : "as it grows";
}
