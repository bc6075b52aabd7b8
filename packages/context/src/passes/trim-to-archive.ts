import { certify } from "../certificate/certify.js";
import { mustKeepAtoms } from "../certificate/must-keep.js";
import type { LaneOptions } from "../folds/archive-paths.js";
import type { Rewrite } from "../folds/rewrite.js";
import { inlineText } from "../messages/text.js";
import { toolCalls } from "../messages/tool-calls.js";
import { applySummary } from "../summary/apply-summary.js";
import { carriedState, fitting, type CarriedState } from "../summary/carried-state.js";
import { earlierSummary } from "../summary/earlier-summary.js";
import { openErrors } from "../summary/open-calls.js";
import { isSummary } from "../folds/fold.js";
import { type SummaryPlan } from "../summary/plan-summary.js";
import { emptySummary, renderSummary } from "../summary/summary.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface TrimOptions extends LaneOptions {
  readonly tokenCounter: TokenCounter;
  /** Reason for the fold; stored with it. */
  readonly reason?: string | undefined;
  /** Lists the sentences in which the agent expresses doubt. @default true */
  readonly preserveMarkers?: boolean | undefined;
  /** Tokens of the lines of folded user messages. @default defaults.userLineTokens */
  readonly userLineTokens?: number | undefined;
}

/**
 * Moves the planned messages to the archive and puts a short note in their place.
 *
 * The last rung of the ladder: pure, calls no model, cannot fail. The note holds what needs no model: a line of
 * every folded user message, files, tasks, doubts of the agent, the last error, and the paths of earlier originals.
 */
export function trimToArchive(
  plan: SummaryPlan,
  { preserveMarkers = true, ...options }: TrimOptions,
): Rewrite {
  const tools = new Set(plan.folded.flatMap((message) => toolCalls(message).map((call) => call.name)));
  const used =
    tools.size === 0
      ? ""
      : ` Tools used: ${[...tools]
          .slice(0, 20)
          .map((name) => inlineText(name, 60))
          .join(", ")}.`;
  const fresh = plan.folded.filter((message) => !isSummary(message));
  const earlier = earlierSummary(plan.folded);
  const rules = renderSummary({
    ...emptySummary,
    ...shortened(carriedState(fresh, earlier)),
    ...(preserveMarkers ? {} : { uncertainties: [] }),
    openQuestions: openErrors(fresh, earlier.openQuestions),
  });
  const text = `${plan.folded.length} earlier messages are in the file above.${used}\n\n${rules}`;
  return applySummary(plan, { text, kind: "trim", ...options });
}

/** Runs {@link trimToArchive} and adds a certificate. Pure, calls no model. */
export function trimCertified(plan: SummaryPlan, options: TrimOptions): Rewrite {
  return certify(trimToArchive(plan, options), { atoms: mustKeepAtoms(plan.region) });
}

/** Maximum characters of each section but the user's lines. Small, because this rung runs when almost nothing fits. */
const maxCharacters = {
  artifacts: 1_000,
  uncertainties: 500,
  done: 0,
  inProgress: 600,
  plan: 1_000,
  nextSteps: 1_000,
  sideEffects: 800,
  index: 800,
};

function shortened(state: CarriedState): CarriedState {
  const sections = Object.entries(maxCharacters).map(([section, characters]) => [
    section,
    fitting(section)(state[section as keyof typeof maxCharacters], characters),
  ]);
  return { ...state, ...Object.fromEntries(sections) };
}
