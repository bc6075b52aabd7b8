import { isAi } from "@palimpsest/context/internal";
import { countWithGptTokenizer } from "@palimpsest/context/gpt-tokenizer";
import { generateTrajectory } from "../data/generate-trajectory.js";
import type { MessageRecord, Trajectory } from "../data/trajectory.js";

/** Tokens that a provider with another vocabulary counts per o200k token, and tokens sent beside the messages. */
const provider = { ratio: 1.3, overhead: 9_000 };

/** Returns a generated run with the usage that such a provider would report. */
export function generateMeteredRun(seed: number): Trajectory {
  const run = generateTrajectory({ seed, steps: 40 });
  const records = new Map<string, MessageRecord>();
  let counted = 0;
  for (const message of run.messages) {
    const inputTokens = Math.round(provider.overhead + provider.ratio * counted);
    if (isAi(message)) records.set(message.id ?? "", { inputTokens });
    counted += countWithGptTokenizer([message]);
  }
  return { ...run, records };
}
