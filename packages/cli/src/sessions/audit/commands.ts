import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";

export interface RanCommand {
  readonly command: string;
  /** `exit 1`, `failed`, `ok`, or `no result`. */
  readonly status: string;
  readonly line: number | undefined;
}

/** Characters of a command that are compared and shown: a longer one is a script. */
const mostCharacters = 160;

/** Returns the commands of shells in messages, with how they ended. Of equal ones the last. Pure. */
export function commandsIn(messages: readonly BaseMessage[]): readonly RanCommand[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.getType() === "tool"
        ? [[(message as ToolMessage).tool_call_id, message as ToolMessage] as const]
        : [],
    ),
  );
  const found = new Map<string, RanCommand>();
  for (const message of messages)
    for (const { id = "", args } of toolCalls(message)) {
      const command = commandOf(args);
      if (command === undefined) continue;
      const line: unknown = message.response_metadata?.["line"];
      found.delete(command);
      found.set(command, {
        command,
        status: statusOf(results.get(id)),
        line: typeof line === "number" ? line : undefined,
      });
    }
  return [...found.values()];
}

function commandOf(args: Readonly<Record<string, unknown>>): string | undefined {
  const given = args["command"] ?? args["cmd"];
  const text = Array.isArray(given) ? given.join(" ") : given;
  return typeof text === "string" && text.trim() !== "" ? text.trim().slice(0, mostCharacters) : undefined;
}

function statusOf(result: ToolMessage | undefined): string {
  if (result === undefined) return "no result";
  const code = /\b(?:[Ee]xit(?:ed with)? code:?|exit_code["']?:|exited with) (\d+)/.exec(
    result.text.slice(0, 2_000),
  )?.[1];
  if (code !== undefined) return `exit ${code}`;
  return result.status === "error" ? "failed" : "ok";
}
