import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "../context-error.js";
import { filePathOf, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { pathGlob } from "./path-glob.js";

export interface PinFilesOptions {
  /** Files whose reads and writes stay: whole paths, or globs from the root such as `/docs/*.md` and `**\/AGENTS.md`. */
  readonly pinFiles?: readonly string[] | undefined;
  /** Tokens of the calls and results that `pinFiles` keeps, the newest first. @default no limit */
  readonly pinFileTokens?: number | undefined;
  readonly tokenCounter?: TokenCounter | undefined;
}

export interface PinnedFiles {
  /** The calls and results that stay, by {@link pinKey}. */
  readonly kept: ReadonlySet<string | BaseMessage>;
  /** Distinct paths of calls that are folded because newer ones use up the limit. */
  readonly leftOut: readonly string[];
}

/** Returns what names a message among pins: its id, which a stand-in keeps. A new result of a tool has none yet. */
export function pinKey(message: BaseMessage): string | BaseMessage {
  return message.id ?? message;
}

/** Maximum number of calls that `pinFiles` keeps. */
export const maxPinnedCalls = 50;

/**
 * Returns the reads and writes of pinned files that stay: the newest within 50 calls and `pinFileTokens`, so that repeated
 * reads of a pinned file cannot fill the window. Pure, O(messages).
 */
export function pinnedFiles(
  messages: readonly BaseMessage[],
  { pinFiles = [], pinFileTokens = Infinity, tokenCounter = estimateTokens }: PinFilesOptions,
): PinnedFiles {
  const [kept, leftOut] = [new Set<string | BaseMessage>(), new Set<string>()];
  if (pinFiles.length === 0) return { kept, leftOut: [] };
  const globs = pinFiles.map(pathGlob);
  const answers = new Map<string, BaseMessage>();
  let [calls, tokens] = [0, 0];
  for (const message of messages.toReversed()) {
    if (isToolResult(message)) answers.set(message.tool_call_id, message);
    for (const call of toolCalls(message)) {
      const path = filePathOf(call);
      if (path === undefined || !globs.some((matches) => matches(path))) continue;
      const answer = call.id === undefined ? undefined : answers.get(call.id);
      const added = [message, ...(answer ? [answer] : [])].filter((one) => !kept.has(pinKey(one)));
      const size = tokenCounter(added);
      if (calls >= maxPinnedCalls || tokens + size > pinFileTokens) leftOut.add(path);
      else {
        calls++;
        tokens += size;
        for (const one of added) kept.add(pinKey(one));
      }
    }
  }
  return { kept, leftOut: [...leftOut] };
}

const maxPinFiles = 100;

/** Refuses pinned files that cannot name a file. @throws ContextError `bad-option`, naming the value and the way out. */
export function checkPinFiles(pinFiles: readonly string[]): void {
  if (!Array.isArray(pinFiles)) throw bad(pinFiles, 'pass paths, such as ["/AGENTS.md"]');
  if (pinFiles.length > maxPinFiles)
    throw bad(`${pinFiles.length} paths`, `use at most ${maxPinFiles}, or a glob`);
  for (const path of pinFiles as readonly unknown[]) {
    if (typeof path !== "string" || path.replace(/[/.]/g, "") === "") {
      throw bad(path, 'use the path of a file, such as "/AGENTS.md"');
    }
    if (path.split("/").includes("..")) throw bad(path, "use a path without ..");
  }
}

function bad(value: unknown, way: string): ContextError {
  return new ContextError("bad-option", `pinFiles holds ${JSON.stringify(value)}: ${way}`);
}
