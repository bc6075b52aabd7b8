import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "../context-error.js";
import { cutPoints } from "../cuts/cut-rules.js";
import { nativeHead } from "../cuts/native-head.js";
import { foldOf } from "../folds/fold.js";
import { messageText } from "../messages/text.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { requirePositive } from "../options.js";
import { markerFamilies } from "./epistemic-markers.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import type { Importance } from "./importance.js";

/** Density of doubt markers at which a message stays verbatim (SynthOrg, recommendation 1). No effect on quality is claimed. */
export interface MarkerOptions {
  /** Minimum number of marker families in a message, 1 to 5. @default by `task`: 3, or 1 for complex and epic */
  readonly density?: number;
  /** @default "medium" */
  readonly task?: "simple" | "medium" | "complex" | "epic";
  /** The agent's style: a verbose or deliberative agent gets the threshold of a complex task. */
  readonly profile?: AgentProfile;
}

/** Style of an agent (SynthOrg, section on later phases). */
export interface AgentProfile {
  /** @default "normal" */
  readonly verbosity?: "terse" | "normal" | "verbose";
  /** @default "normal" */
  readonly deliberation?: "quick" | "normal" | "deliberative";
}

export interface ChooseVerbatimOptions {
  /** Index of the first message that a summary would keep; messages before it have priority. */
  readonly cut: number;
  /** Index of the first message that no pass changes, such as the first unseen one. @default cut */
  readonly end?: number | undefined;
  /** Maximum tokens of the chosen messages and of the calls kept with them. */
  readonly tokens: number;
  readonly tokenCounter: TokenCounter;
  readonly importance?: Importance | undefined;
  readonly markers?: MarkerOptions | undefined;
}

/** Maximum tokens of the line that replaces a result that is not chosen. */
const maxLineTokens = 80;

/**
 * Returns the ids of messages before `end` that stay verbatim, within a token budget.
 *
 * Pure. Choosing a result also chooses the message that called it. The other results of that call are kept as one line
 * each. Model messages that reach the marker threshold come first, ordered by families and then by brevity; the messages
 * with the highest importance follow.
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

/** Returns the minimum number of marker families for a message to stay verbatim. */
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

/** Validates marker options. @throws ContextError `bad-option`, naming the value and the way out. */
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

/** Messages that a cut must not separate, and the tokens it takes to keep them. */
interface Segment {
  readonly messages: readonly BaseMessage[];
  readonly cost: (message: BaseMessage) => number;
  /** Tokens of the line that replaces a result. */
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
  const first = nativeHead(messages);
  const points = cutPoints(messages).filter((point) => point >= first && point <= end);
  return points.flatMap((start, place) => {
    const segment = segmentOf(messages.slice(start, points[place + 1] ?? end), tokenCounter);
    if (!segment.messages.some(isAi)) return [];
    // Never choose a summary: the next one covers it.
    if (segment.messages.some((message) => foldOf(message)?.generation !== undefined)) return [];
    return segment.messages.flatMap((message, offset): readonly Candidate[] => {
      if (message.id === undefined || !(isAi(message) || isToolResult(message))) return [];
      const text = isAi(message) ? messageText(message) : "";
      const families = text === "" ? 0 : markerFamilies(text);
      // With equal families, the shorter message ranks first.
      const doubt = families >= threshold ? families + 1 / (1 + text.length) : 0;
      const score = scores[start + offset] ?? 0;
      const at = start + offset;
      return doubt > 0 || score > 0 ? [{ message, segment, at, doubt, score: Math.max(0, score) }] : [];
    });
  });
}

function segmentOf(messages: readonly BaseMessage[], tokenCounter: TokenCounter): Segment {
  const cost = (message: BaseMessage) => tokenCounter([message]);
  const line = (message: BaseMessage) => Math.min(maxLineTokens, cost(message));
  const base = () =>
    messages.reduce((sum, message) => sum + (isToolResult(message) ? line(message) : cost(message)), 0);
  return { messages, cost, line, base };
}
