import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "../context-error.js";
import { cutPoints } from "../cuts/cut-rules.js";
import { foldOf } from "../folds/fold.js";
import { messageText } from "../messages/text.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { requirePositive } from "../options.js";
import { markerFamilies } from "./epistemic-markers.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import type { Importance } from "./importance.js";

/** How much doubt makes a message stay (SynthOrg, recommendation 1). An option, without a claim about quality. */
export interface MarkerOptions {
  /** Families of words of doubt that a message must hold, 1 to 5. @default by `task`: 3, or 1 for complex and epic */
  readonly density?: number;
  /** @default "medium" */
  readonly task?: "simple" | "medium" | "complex" | "epic";
  /** How the agent works: one that is verbose or deliberative has the threshold of a complex task. */
  readonly profile?: AgentProfile;
}

/** How an agent speaks and thinks (SynthOrg, section on later phases). */
export interface AgentProfile {
  /** @default "normal" */
  readonly verbosity?: "terse" | "normal" | "verbose";
  /** @default "normal" */
  readonly deliberation?: "quick" | "normal" | "deliberative";
}

export interface ChooseVerbatimOptions {
  /** Index of the first message that a summary would leave alone: what is before it comes first. */
  readonly cut: number;
  /** Index of the first message that no pass changes, such as the first that the model has not seen. @default cut */
  readonly end?: number | undefined;
  /** Tokens that the chosen messages may have, with the calls that they need beside them. */
  readonly tokens: number;
  readonly tokenCounter: TokenCounter;
  readonly importance?: Importance | undefined;
  readonly markers?: MarkerOptions | undefined;
}

/** Tokens of the line that stands for a result which nobody chose, at most. */
const lineTokens = 80;

/**
 * Returns the ids of messages before `end` that stay word for word, within a budget.
 *
 * Pure. A result brings the message that called it. The other results of that call are not chosen: they have to stay
 * too, but a line is enough for each. Messages of the model with enough families of doubt come first, those with more
 * of them for their length ahead; then the messages with the highest importance.
 */
export function chooseVerbatim(
  messages: readonly BaseMessage[],
  { cut, end = cut, tokens, ...options }: ChooseVerbatimOptions,
): ReadonlySet<string> {
  const ranked = candidates(messages, { ...options, end: Math.max(cut, end) }).toSorted(
    (a, b) =>
      Number(a.at >= cut) - Number(b.at >= cut) || b.doubt - a.doubt || b.score - a.score || a.at - b.at,
  );
  const opened = new Set<Segment>();
  const chosen = new Set<BaseMessage>();
  let left = tokens;
  for (const { message, segment } of ranked) {
    if (chosen.has(message)) continue;
    const own = isToolResult(message) ? segment.cost(message) - segment.line(message) : 0;
    const price = own + (opened.has(segment) ? 0 : segment.base());
    if (price > left) continue;
    left -= price;
    opened.add(segment);
    for (const one of [message, ...segment.messages.filter((other) => !isToolResult(other))]) chosen.add(one);
  }
  return new Set(messages.flatMap((message) => (chosen.has(message) ? (message.id ?? []) : [])));
}

/** Returns how many families of words of doubt make a message stay. */
export function markerThreshold({ density, task = "medium", profile = {} }: MarkerOptions): number {
  if (density !== undefined) return density;
  const deliberative = profile.verbosity === "verbose" || profile.deliberation === "deliberative";
  return deliberative || task === "complex" || task === "epic" ? 1 : 3;
}

const allowed: Readonly<Record<string, readonly string[]>> = {
  task: ["simple", "medium", "complex", "epic"],
  verbosity: ["terse", "normal", "verbose"],
  deliberation: ["quick", "normal", "deliberative"],
};

/** Refuses markers that cannot work. @throws ContextError `bad-option`, naming the value and the way out. */
export function checkMarkers(markers: MarkerOptions): void {
  if (typeof markers !== "object" || markers === null) {
    throw bad(
      "markers",
      markers,
      'pass an object such as { task: "complex" }, or a function that returns one',
    );
  }
  const { density, task, profile = {} } = markers;
  if (density !== undefined) requirePositive("markers.density", density);
  for (const [name, value] of Object.entries({ task, ...profile })) {
    if (value === undefined || allowed[name]?.includes(value) === true) continue;
    const path = name === "task" ? "markers.task" : `markers.profile.${name}`;
    throw bad(path, value, `use one of ${allowed[name]?.join(", ") ?? "verbosity, deliberation"}`);
  }
}

function bad(name: string, value: unknown, way: string): ContextError {
  return new ContextError("bad-option", `${name} is ${JSON.stringify(value)}: ${way}`);
}

/** Messages that must not be parted, and what keeping them costs. */
interface Segment {
  readonly messages: readonly BaseMessage[];
  readonly cost: (message: BaseMessage) => number;
  /** Tokens of a result that is not chosen. */
  readonly line: (message: BaseMessage) => number;
  /** Tokens of the segment with a line for each result. */
  readonly base: () => number;
}

interface Candidate {
  readonly message: BaseMessage;
  readonly segment: Segment;
  readonly at: number;
  readonly doubt: number;
  readonly score: number;
}

type Candidates = Omit<ChooseVerbatimOptions, "cut" | "tokens"> & { readonly end: number };

function candidates(messages: readonly BaseMessage[], options: Candidates): readonly Candidate[] {
  const { end, tokenCounter, importance, markers } = options;
  const threshold = markers === undefined ? Infinity : markerThreshold(markers);
  const scores = importance?.(messages.slice(0, end)) ?? [];
  const points = cutPoints(messages).filter((point) => point <= end);
  return points.flatMap((start, place) => {
    const segment = segmentOf(messages.slice(start, points[place + 1] ?? end), tokenCounter);
    if (!segment.messages.some(isAi)) return [];
    // A summary is no message to keep: the next one covers it.
    if (segment.messages.some((message) => foldOf(message)?.generation !== undefined)) return [];
    return segment.messages.flatMap((message, offset): readonly Candidate[] => {
      if (message.id === undefined || !(isAi(message) || isToolResult(message))) return [];
      const text = isAi(message) ? messageText(message) : "";
      const families = text === "" ? 0 : markerFamilies(text);
      // Of as many families the shorter message says more of them for a token.
      const doubt = families >= threshold ? families + 1 / (1 + text.length) : 0;
      const score = scores[start + offset] ?? 0;
      const at = start + offset;
      return doubt > 0 || score > 0 ? [{ message, segment, at, doubt, score: Math.max(0, score) }] : [];
    });
  });
}

function segmentOf(messages: readonly BaseMessage[], tokenCounter: TokenCounter): Segment {
  const cost = (message: BaseMessage) => tokenCounter([message]);
  const line = (message: BaseMessage) => Math.min(lineTokens, cost(message));
  const base = () =>
    messages.reduce((sum, message) => sum + (isToolResult(message) ? line(message) : cost(message)), 0);
  return { messages, cost, line, base };
}
