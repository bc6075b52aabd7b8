import { pace } from "../policies/pace.js";
import type { Policy } from "../policies/policy.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { randomRetention, recency } from "../policies/recency.js";
import { reuse } from "../policies/reuse.js";
import { sentenceEncoder } from "../locomo/sentence-encoder.js";

/** Glimpses of a step, as published. */
const glimpses = 3;

/** Our policy and the node that has it, anew at each step and not, beside recency and the random control. */
export function reuseVariants(): readonly Policy[] {
  const core = [reuse(), reuse({ sticky: 0.92 })];
  const intervals = [4, 8, 16];
  const rare = intervals.map((every) => predictiveNode(undefined, "reuse", every));
  const rarePace = [1, ...intervals].map((every) => predictiveNode(undefined, "pace", every));
  return [recency, randomRetention, ...core, predictiveNode(1), predictiveNode(), ...rare, ...rarePace];
}

/** PACE with every part on, and with each of them off; with `encoder`, also with a sentence encoder, which takes long. */
export function paceVariants({ encoder: isEncoded }: { readonly encoder: boolean }): readonly Policy[] {
  const encoded = named(
    "a sentence encoder in place of hashed words",
    pace({ glimpses, encoder: sentenceEncoder }),
  );
  return [
    ...(isEncoded ? [encoded] : []),
    named("every part on", pace({ glimpses })),
    named("granularity off: whole or placeholder", pace({ glimpses, levels: ["full", "placeholder"] })),
    named("pressure off: lambda 0", pace({ glimpses, pressureGain: 0 })),
    named("pressure doubled: lambda 1", pace({ glimpses, pressureGain: 1 })),
    named("tau off: 1, weights nearly even", pace({ glimpses, temperature: 1 })),
    named("glimpse off", pace()),
  ];
}

function named(name: string, policy: Policy): Policy {
  return { ...policy, name };
}
