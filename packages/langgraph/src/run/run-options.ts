import { ContextError, defaults, type Keep } from "@palimpsest/context";
import { checkMarkers, lowerTrigger, triggerTokens, type MarkerOptions } from "@palimpsest/context/internal";
import type { BudgetLevel } from "../options/context-options.js";
import { counterOfRun } from "../options/counted-ahead.js";
import { reportCounter, type ErrorPolicy } from "./error-policy.js";
import type { Reporter } from "./reporter.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { NodeConfig } from "../run-config.js";
import { shownValue } from "../options/fields.js";

/** The options that depend on a run. A strategy has those that it accepts. */
export type OptionsOfRun = Partial<
  Pick<
    ResolvedOptions,
    "budgetLevel" | "trigger" | "keep" | "contextWindow" | "importance" | "markers" | "sizesOf"
  >
>;

const notches: Readonly<Record<BudgetLevel, number>> = { normal: 0, fallback: 1, exhausted: 2 };

/** Returns the options with the sizes of a run. Never throws: what fails is `failed`, and leaves the options as they are. */
export function sizedForRun<Options extends OptionsOfRun>(
  options: Options,
  config: NodeConfig | undefined,
  failed: (error: unknown) => void = () => undefined,
): Options {
  const { sizesOf, ...rest } = options;
  if (sizesOf === undefined) return options;
  try {
    return { ...(rest as Options), ...sizesOf(config) };
  } catch (error) {
    failed(error);
    return options;
  }
}

/**
 * Returns the options for the budget that the host reports. Never throws.
 *
 * Each level lowers the trigger by 10 percentage points of the window and `keep` by one turn, or by a third in other units,
 * because one of three turns is a third (SynthOrg, recommendation 8). At least one turn or message stays, and `keep` shrinks
 * at least as much as the trigger.
 */
export function underBudget<Options extends OptionsOfRun>(
  options: Options,
  config: NodeConfig | undefined,
): Options {
  const notch = notches[levelOf(options, config)] ?? 0;
  const { keep, contextWindow, trigger: limit } = options;
  if (notch === 0 || keep === undefined || limit === undefined || contextWindow === undefined) return options;
  const trigger = lowerTrigger(limit, notch * defaults.budgetPoints, contextWindow);
  const before = triggerTokens(limit, contextWindow) ?? 1;
  const lowered = (triggerTokens(trigger, contextWindow) ?? before) / before;
  const share = Math.min(lowered, 1 - notch / 3);
  return { ...options, trigger, keep: tighterKeep(keep, { notch, share }) };
}

interface Tightening {
  readonly notch: number;
  readonly share: number;
}

function tighterKeep(keep: Keep | readonly Keep[], by: Tightening): Keep | readonly Keep[] {
  return Array.isArray(keep)
    ? (keep as readonly Keep[]).map((limit) => tighterLimit(limit, by))
    : tighterLimit(keep as Keep, by);
}

function tighterLimit(keep: Keep, { notch, share }: Tightening): Keep {
  if (keep.turns !== undefined) return { turns: Math.max(1, keep.turns - notch) };
  if (keep.messages !== undefined) return { messages: Math.max(1, Math.floor(keep.messages * share)) };
  if (keep.tokens !== undefined) return { tokens: keep.tokens * share };
  return { fraction: keep.fraction * share };
}

function levelOf({ budgetLevel }: OptionsOfRun, config: NodeConfig | undefined): BudgetLevel {
  try {
    return budgetLevel?.(config) ?? "normal";
  } catch {
    return "normal";
  }
}

/** Reports once in a run that `budgetLevel` throws or returns an unknown level. Both count as `normal`. */
function checkLevel({ budgetLevel }: OptionsOfRun, config: NodeConfig | undefined, report: Reporter): void {
  if (budgetLevel === undefined) return;
  try {
    const level: unknown = budgetLevel(config);
    if (typeof level === "string" && Object.hasOwn(notches, level)) return;
    const way = `return ${Object.keys(notches).join(", ")}`;
    throw new ContextError("bad-option", `budgetLevel returned ${shownValue(level)}: ${way}`);
  } catch (error) {
    report.fail("budget", error, "normal-budget");
  }
}

/** Returns whether the sizes differ from run to run. */
export function isVaried({ budgetLevel, sizesOf }: OptionsOfRun): boolean {
  return (budgetLevel ?? sizesOf) !== undefined;
}

/** The run that options are for. */
interface Run extends ErrorPolicy {
  readonly config: NodeConfig | undefined;
  readonly report: Reporter;
}

/** Returns the options with the sizes and for the budget of a run, and reports what of them fails. */
function variedForRun<Options extends OptionsOfRun>(options: Options, { config, report }: Run): Options {
  checkLevel(options, config, report);
  const sized = sizedForRun(options, config, (error) => report.fail("settings", error, "options"));
  return underBudget(sized, config);
}

/**
 * Returns the options of one run: for its budget, with `importance` and `markers` bound to its config, and with a counter that
 * reports its failures.
 *
 * None can stop a compaction: if one throws or returns an unusable value, an event says so once, and it promotes no message, or
 * the tokens are estimated.
 */
export function optionsOfRun<
  Options extends OptionsOfRun & Pick<ResolvedOptions, "tokenCounter" | "onError">,
>(base: Options, run: Run): Options {
  const { config, report } = run;
  const tokenCounter = counterOfRun(base.tokenCounter, (error) => reportCounter(error, run));
  const sized = isVaried(base) ? variedForRun(base, run) : base;
  const options = { ...sized, tokenCounter };
  const { importance, markers } = options;
  if (importance === undefined && typeof markers !== "function") return options;
  let failed = false;
  const guarded = <Value>(name: string, call: () => Value, otherwise: Value): Value => {
    try {
      return call();
    } catch (error) {
      if (!failed) report.fail(name === "markers" ? "markers" : "importance", error, "unpromoted");
      failed = true;
      return otherwise;
    }
  };
  return {
    ...options,
    ...(importance !== undefined && {
      importance: (messages) =>
        guarded("importance", () => checkScores(importance(messages, config), messages.length), []),
    }),
    ...(typeof markers === "function" && {
      markers: () => guarded("markers", () => checkedMarkers(markers(config)), undefined),
    }),
  };
}

function checkScores(scores: readonly number[], messages: number): readonly number[] {
  if (Array.isArray(scores) && scores.length === messages) return scores;
  const found = Array.isArray(scores) ? `${scores.length} scores` : typeof scores;
  throw new ContextError(
    "bad-option",
    `importance returned ${found} for ${messages} messages: return a number for each message`,
  );
}

function checkedMarkers(markers: MarkerOptions | undefined): MarkerOptions | undefined {
  if (markers !== undefined) checkMarkers(markers);
  return markers;
}
