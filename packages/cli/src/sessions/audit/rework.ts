import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { estimateTokens, toolCalls } from "@palimpsest/context";

/** A call that was made again after the compaction that had folded its result. */
export interface Rework {
  readonly call: string;
  /** The lines of the first call and of the repeated one. */
  readonly line: number | undefined;
  readonly again: number | undefined;
  /** Tokens of the result that was fetched again. */
  readonly tokens: number;
}

/** Returns the calls of later messages that the folded ones had made before: the same call, or a read of the same file. Pure. */
export function reworkOf(folded: readonly BaseMessage[], later: readonly BaseMessage[]): readonly Rework[] {
  const before = new Map<string, number | undefined>();
  for (const message of folded)
    for (const call of toolCalls(message)) {
      const key = keyOf(call);
      if (key !== undefined) before.set(key, lineOf(message));
    }
  const results = new Map(
    later.flatMap((message) =>
      message.getType() === "tool" ? [[(message as ToolMessage).tool_call_id, message] as const] : [],
    ),
  );
  const found = new Map<string, Rework>();
  for (const message of later)
    for (const call of toolCalls(message)) {
      const key = keyOf(call);
      // What was fetched again once is in the context: asking a second time is not the loss of this compaction.
      if (key === undefined || !before.has(key) || found.has(key)) continue;
      const result = results.get(call.id ?? "");
      const tokens = result === undefined ? 0 : estimateTokens([result]);
      found.set(key, {
        call: `${call.name} ${shown(call.args)}`,
        line: before.get(key),
        again: lineOf(message),
        tokens,
      });
    }
  return [...found.values()].toSorted((a, b) => b.tokens - a.tokens);
}

type Call = ReturnType<typeof toolCalls>[number];

/** Tools that change something: making such a call again is work, not a repetition. */
const changes = /write|edit|create|update|patch|todo|task|commit|delete|move|notebook/i;

function keyOf({ name, args }: Call): string | undefined {
  if (changes.test(name)) return undefined;
  const path = pathOf(args);
  return path === undefined
    ? `${name} ${JSON.stringify(
        args,
        Object.keys(args).toSorted((a, b) => (a < b ? -1 : 1)),
      )}`
    : `${name} ${path}`;
}

/** Returns the path of a call that reads a file; undefined for a search in it. */
function pathOf(args: Call["args"]): string | undefined {
  if ("pattern" in args || "query" in args || "command" in args) return undefined;
  const path: unknown = args["file_path"] ?? args["path"] ?? args["filePath"] ?? args["absolute_path"];
  return typeof path === "string" ? path : undefined;
}

function shown(args: Call["args"]): string {
  const { command } = args;
  return pathOf(args) ?? (typeof command === "string" ? command : JSON.stringify(args));
}

function lineOf(message: BaseMessage): number | undefined {
  const line: unknown = message.response_metadata?.["line"];
  return typeof line === "number" ? line : undefined;
}
