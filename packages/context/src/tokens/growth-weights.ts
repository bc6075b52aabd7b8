import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "../messages/tool-calls.js";
import { leastRatio, maxRatio, minRatio, ratioOfGrowth, usualGrowth, within } from "./ratio-of-growth.js";
import type { TokenCounter } from "./token-counter.js";
import type { Growth } from "./usage-anchors.js";

/** What the messages that come after a report consist of, in tokens of the counter. */
interface Added {
  /** All messages. */
  readonly counted: number;
  /** The reply of the model among them. */
  readonly reply: number;
  /** Number of calls in the reply. */
  readonly calls: number;
}

/** Tokens of the provider: for a token of the counter, besides for one of the reply, and for a call. */
type Weights = readonly [each: number, reply: number, call: number];

/** Newest calls that are read: with more of them the weights are no better. */
const maxCalls = 64;
/** Rounds of the fit. After each, a call counts less the farther the weights are from it. */
const rounds = 3;
/** Strength of the expectation that nothing differs from the ratio of all calls, in the units of a weight. */
const expected: Weights = [5, 200, 0.001];
/** Tokens that are added to each call: small ones are mostly noise. */
const noiseTokens = 100;
/** Share of a call within which an error is none. */
const exactShare = 0.02;

/**
 * Returns the provider's tokens of the messages that come after a report, from what earlier calls have added; undefined if that is
 * too little. Between {@link minRatio} and {@link maxRatio} times the count. Pure.
 *
 * One ratio is wrong for a step: code in arguments counts less for each character than a listing, and every call has tokens
 * around it that no text shows. So the reply and its calls have weights of their own. The fit minimizes absolute errors, because
 * some calls have jumps.
 */
export function addedTokens(
  added: readonly BaseMessage[],
  { growth, messages, tokenCounter }: GrownContext,
): number | undefined {
  const newestGrowth = growth.slice(-maxCalls);
  const ratio = ratioOfGrowth(newestGrowth);
  if (ratio === undefined) return undefined;
  const steps = usualGrowth(newestGrowth).map(({ from, counted: all, input }) => {
    const parts = partsOf(messages[from], tokenCounter);
    return { parts: [all, parts.reply, parts.calls] as const, input };
  });
  const newest = tokenCounter(added);
  const { reply, calls } = partsOf(added[0], tokenCounter);
  const [each, ofReply, ofCall] = weightsOf(steps, ratio);
  const tokens = dot([Math.max(leastRatio(newestGrowth), each), ofReply, ofCall], [newest, reply, calls]);
  // The weights of exact reports are exact but for their last digits.
  return within(minRatio * newest, maxRatio * newest, Math.round(tokens));
}

interface GrownContext {
  readonly messages: readonly BaseMessage[];
  readonly growth: readonly Growth[];
  readonly tokenCounter: TokenCounter;
}

function partsOf(reply: BaseMessage | undefined, tokenCounter: TokenCounter): Omit<Added, "counted"> {
  return reply === undefined
    ? { reply: 0, calls: 0 }
    : { reply: tokenCounter([reply]), calls: toolCalls(reply).length };
}

interface FitStep {
  readonly parts: Weights;
  readonly input: number;
}

/** Returns the weights with the least absolute errors, by least squares whose weights are repeated: three rounds are enough. */
function weightsOf(steps: readonly FitStep[], start: number): Weights {
  let weights: Weights = [start, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const [each, reply, call] = expected;
    const sums = { xx: each, xy: 0, xz: 0, yy: reply, yz: 0, zz: call, x: each * start, y: 0, z: 0 };
    for (const { parts, input } of steps) {
      const [x, y, z] = parts;
      const size = x + noiseTokens;
      const error = Math.max(exactShare * size, Math.abs(input - dot(weights, parts)));
      const weight = 1 / (Math.sqrt(size) * error);
      sums.xx += weight * x * x;
      sums.xy += weight * x * y;
      sums.xz += weight * x * z;
      sums.yy += weight * y * y;
      sums.yz += weight * y * z;
      sums.zz += weight * z * z;
      sums.x += weight * x * input;
      sums.y += weight * y * input;
      sums.z += weight * z * input;
    }
    weights = solved(sums);
  }
  return weights;
}

type Sums = Readonly<Record<"xx" | "xy" | "xz" | "yy" | "yz" | "zz" | "x" | "y" | "z", number>>;

/** Solves the three normal equations by elimination. What is expected keeps each pivot above 0. */
function solved({ xx, xy, xz, yy, yz, zz, x, y, z }: Sums): Weights {
  const [byY, byZ] = [xy / xx, xz / xx];
  const restYY = yy - byY * xy;
  const restYZ = yz - byY * xz;
  const restY = y - byY * x;
  const ofZ = restYZ / restYY;
  const call = (z - byZ * x - ofZ * restY) / (zz - byZ * xz - ofZ * restYZ);
  const reply = (restY - restYZ * call) / restYY;
  return [(x - xy * reply - xz * call) / xx, reply, call];
}

function dot([a, b, c]: Weights, [x, y, z]: Weights): number {
  return a * x + b * y + c * z;
}
