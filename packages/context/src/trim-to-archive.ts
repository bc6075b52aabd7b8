import { applySummary } from "./apply-summary.js";
import { inlineText } from "./inline-text.js";
import { messageText } from "./message-text.js";
import { isSummary, type SummaryPlan } from "./plan-summary.js";
import type { Rewrite } from "./rewrite.js";
import { emptySummary, parseSummary, renderSummary } from "./summary.js";
import type { TokenCounter } from "./token-counter.js";
import { toolCalls } from "./tool-calls.js";
import { userConstraints } from "./user-constraints.js";

/**
 * Returns the context with the planned messages moved to the archive and a short note in their place.
 *
 * The last rung of the ladder: pure, calls no model, cannot fail. Rules that the user set in the moved messages
 * stay word for word.
 */
export function trimToArchive(
  plan: SummaryPlan,
  { tokenCounter, reason }: { readonly tokenCounter: TokenCounter; readonly reason?: string | undefined },
): Rewrite {
  const tools = new Set(plan.folded.flatMap((message) => toolCalls(message).map((call) => call.name)));
  const used =
    tools.size === 0
      ? ""
      : ` Tools used: ${[...tools]
          .slice(0, 20)
          .map((name) => inlineText(name, 60))
          .join(", ")}.`;
  const earlier = plan.folded.filter(isSummary).map((message) => parseSummary(messageText(message)));
  const told = earlier.flatMap((summary) => summary?.constraints ?? []);
  const constraints = [...new Set([...told, ...userConstraints(plan.folded)])].slice(-20);
  const rules = renderSummary({ ...emptySummary, constraints });
  const text = `${plan.folded.length} earlier messages are in the file above.${used}\n\n${rules}`;
  return applySummary(plan, { text, kind: "trim", reason, tokenCounter });
}
