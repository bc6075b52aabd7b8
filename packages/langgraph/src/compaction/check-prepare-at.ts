import { ContextError, triggerTokens, type Trigger } from "@palimpsest/context";

export interface PrepareLimits {
  readonly trigger: Trigger | readonly Trigger[];
  readonly contextWindow: number | undefined;
}

/** Refuses a share at which there is nothing to prepare. @throws ContextError `bad-option`, naming the value and the way out. */
export function checkPrepareAt(prepareAt: number, { trigger, contextWindow }: PrepareLimits): void {
  const bad = (way: string) => new ContextError("bad-option", `prepareAt is ${prepareAt}: ${way}`);
  if (!(prepareAt > 0 && prepareAt < 1)) throw bad("use a share of the window above 0 and below 1");
  if (contextWindow === undefined) throw bad("pass contextWindow (tokens), of which it is a share");
  const limit = triggerTokens(trigger, contextWindow);
  if (limit !== undefined && prepareAt * contextWindow >= limit) {
    throw bad(`use a share below the trigger, which is met at ${limit} of ${contextWindow} tokens`);
  }
}
