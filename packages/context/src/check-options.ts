import { ContextError } from "./context-error.js";
import { keepTokens, type Keep } from "./keep.js";
import { asTriggers, triggerTokens, type Trigger } from "./trigger.js";

export interface CheckedOptions {
  readonly trigger: Trigger | readonly Trigger[];
  readonly keep: Keep;
  readonly contextWindow?: number | undefined;
}

/**
 * Refuses a trigger, a keep or a window that cannot work, before anything runs with it.
 *
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function checkOptions({ trigger, keep, contextWindow }: CheckedOptions): void {
  if (contextWindow !== undefined) requirePositive("contextWindow", contextWindow);
  checkTrigger("trigger", trigger, contextWindow);
  checkLimits("keep", keep, contextWindow);
  checkKeepLess("tokens", keepTokens(keep, contextWindow), triggerTokens(trigger, contextWindow));
  // Only a trigger that looks at messages alone can be met by fewer messages than are kept.
  const byMessages = asTriggers(trigger).filter(({ tokens, fraction }) => (tokens ?? fraction) === undefined);
  const lowest = Math.min(...byMessages.map(({ messages = Infinity }) => messages));
  checkKeepLess("messages", keep.messages, lowest);
}

/** Refuses a trigger that cannot work. @throws ContextError `bad-option` or `unknown-window` */
export function checkTrigger(
  name: string,
  trigger: Trigger | readonly Trigger[],
  contextWindow: number | undefined,
): void {
  const triggers = asTriggers(trigger);
  if (triggers.length === 0) throw bad(name, "[]", "give at least one of fraction, tokens, messages");
  for (const one of triggers) checkLimits(name, one, contextWindow);
}

function checkKeepLess(unit: string, kept: number | undefined, limit: number | undefined): void {
  if (kept === undefined || limit === undefined || kept < limit) return;
  const way = "keep less than the trigger, or compaction could never free anything";
  throw bad("keep", `${kept} ${unit} with a trigger at ${limit} ${unit}`, way);
}

interface Limits {
  readonly fraction?: number;
  readonly tokens?: number;
  readonly messages?: number;
  readonly turns?: number;
}

function checkLimits(name: string, limits: Limits, contextWindow: number | undefined): void {
  const { fraction, tokens, messages, turns } = limits;
  if ([fraction, tokens, messages, turns].every((limit) => limit === undefined)) {
    const units = name === "keep" ? "fraction, tokens, messages, turns" : "fraction, tokens, messages";
    throw bad(name, JSON.stringify(limits), `give at least one of ${units}`);
  }
  if (fraction !== undefined && !(Number.isFinite(fraction) && fraction > 0 && fraction <= 1)) {
    throw bad(`${name}.fraction`, shown(fraction), "use a share of the window above 0 and at most 1");
  }
  if (tokens !== undefined) requirePositive(`${name}.tokens`, tokens);
  if (messages !== undefined) requirePositive(`${name}.messages`, messages);
  if (turns !== undefined) requirePositive(`${name}.turns`, turns);
  if (fraction !== undefined && contextWindow === undefined) {
    throw new ContextError(
      "unknown-window",
      `${name}.fraction is ${fraction} of an unknown context window: pass contextWindow (tokens), ` +
        `a model whose profile has maxInputTokens, or a ${name} in tokens`,
    );
  }
}

/** Refuses a number that is not above 0 and finite. @throws ContextError `bad-option` */
export function requirePositive(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) throw bad(name, shown(value), "use a number above 0");
}

/** Refuses a number below 0, or one that is not finite. @throws ContextError `bad-option` */
export function requireNotNegative(name: string, value: number): void {
  if (!(Number.isFinite(value) && value >= 0)) throw bad(name, shown(value), "use a number, 0 or more");
}

/** Returns how a value stands in a message: a string in quotes, for "32000" is not a number. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function bad(name: string, value: string, way: string): ContextError {
  return new ContextError("bad-option", `${name} is ${value}: ${way}`);
}
