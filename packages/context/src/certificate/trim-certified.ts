import type { SummaryPlan } from "../plan-summary.js";
import type { Rewrite } from "../rewrite.js";
import type { TokenCounter } from "../token-counter.js";
import { trimToArchive } from "../trim-to-archive.js";
import { certify } from "./certify.js";
import { mustKeepAtoms } from "./must-keep.js";

/** Returns the context with the planned messages moved to the archive, and a certificate of it. Pure, calls no model. */
export function trimCertified(
  plan: SummaryPlan,
  options: { readonly tokenCounter: TokenCounter; readonly reason?: string | undefined },
): Rewrite {
  return certify(trimToArchive(plan, options), { atoms: mustKeepAtoms(plan.region) });
}
