import { isCompaction, turnsOf, type Block, type MessagesRequest, type Turn } from "./wire.js";

const maxBreakpoints = 4;

/** Returns what the Messages API says of a request that it refuses for its form, or undefined. */
export function requestFault(request: MessagesRequest): string | undefined {
  const turns = turnsOf(request.messages);
  return emptyContent(request) ?? firstTurn(turns) ?? pairing(turns) ?? breakpoints(request);
}

function emptyContent({ messages }: MessagesRequest): string | undefined {
  for (const [index, { role, content }] of messages.entries()) {
    const isLastReply = role === "assistant" && index === messages.length - 1;
    if (content.length === 0 && !isLastReply) {
      return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
    }
    if (typeof content === "string") continue;
    if (content.some(({ type, text }) => type === "text" && text === "")) {
      return "messages: text content blocks must be non-empty";
    }
  }
  return undefined;
}

function firstTurn(turns: readonly Turn[]): string | undefined {
  const first = turns[0];
  if (first === undefined) return "messages: at least one message is required";
  const isCompacted = first.blocks[0] !== undefined && isCompaction(first.blocks[0]);
  return first.role === "user" || isCompacted
    ? undefined
    : 'messages: first message must use the "user" role';
}

function pairing(turns: readonly Turn[]): string | undefined {
  const seen = new Set<string>();
  // A system message between a call and its results parts nothing.
  const spoken = turns.filter(({ role }) => role !== "system");
  for (const [index, turn] of spoken.entries()) {
    const calls = idsOf(turn, "tool_use", "id");
    const repeated = calls.find((id) => seen.has(id));
    if (repeated !== undefined || new Set(calls).size < calls.length) {
      return `messages: \`tool_use\` ids must be unique`;
    }
    for (const id of calls) seen.add(id);
    const next = spoken[index + 1];
    const results = next === undefined ? [] : idsOf(next, "tool_result", "tool_use_id");
    const open = calls.filter((id) => !results.includes(id));
    if (open.length > 0) {
      return `${turn.paths[0] ?? ""}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    const answered = index === 0 ? [] : idsOf(spoken[index - 1], "tool_use", "id");
    const stray = idsOf(turn, "tool_result", "tool_use_id").find((id) => !answered.includes(id));
    if (stray !== undefined) {
      return `${turn.paths[0] ?? ""}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (resultAfterOther(turn.blocks))
      return `${turn.paths[0] ?? ""}: \`tool_result\` blocks must come first`;
  }
  return undefined;
}

function idsOf(turn: Turn | undefined, type: string, field: "id" | "tool_use_id"): readonly string[] {
  return (turn?.blocks ?? []).filter((block) => block.type === type).map((block) => String(block[field]));
}

function resultAfterOther(blocks: readonly Block[]): boolean {
  const other = blocks.findIndex(({ type }) => type !== "tool_result");
  return other >= 0 && blocks.slice(other).some(({ type }) => type === "tool_result");
}

function breakpoints({ system, tools = [], messages }: MessagesRequest): string | undefined {
  const blocks = [
    ...(typeof system === "object" ? system : []),
    ...tools,
    ...messages.flatMap(({ content }) => (typeof content === "string" ? [] : content)),
  ];
  const found = blocks.filter((block) => "cache_control" in block && block.cache_control != null).length;
  return found > maxBreakpoints
    ? `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${found}.`
    : undefined;
}
