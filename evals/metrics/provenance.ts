import type { BaseMessage } from "@langchain/core/messages";
import { farDistance, type Needed, type Step } from "../data/steps.js";
import { charsOverFour } from "../data/text-of.js";
import { isIn } from "./is-in.js";

/** Shares of what a step needs that its context holds; absent where the step needs nothing of a kind. */
export interface StepRecall {
  readonly all?: number;
  readonly far?: number;
  readonly lines?: number;
  /** Tokens of the context, of four characters. */
  readonly tokens: number;
}

/** Returns how much of what a step needs is in its context, word for word. */
export function provenanceOf({ needed }: Step, context: readonly BaseMessage[]): StepRecall {
  const seen = needed.filter(({ text }) => context.some((message) => isIn(message, text)));
  const share = (keep: (atom: Needed) => boolean) => {
    const asked = needed.filter(keep).length;
    return asked === 0 ? undefined : seen.filter(keep).length / asked;
  };
  const shares = {
    all: share(() => true),
    far: share(isFar),
    lines: share(isLine),
  };
  const known = Object.entries(shares).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(known) as Partial<StepRecall>), tokens: charsOverFour(context) };
}

function isFar({ distance }: Needed): boolean {
  return distance > farDistance;
}

function isLine({ kind }: Needed): boolean {
  return kind === "line";
}
