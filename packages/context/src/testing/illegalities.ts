import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";

/**
 * Returns the provider rules that a list of messages breaks, one sentence each, naming message and call ids.
 *
 * Pure. Empty for a list that every provider takes. A list from the wild may break some: see `addedIllegalities`.
 */
export function illegalities(messages: readonly BaseMessage[]): readonly string[] {
  return [
    ...duplicateIds(messages),
    ...lateSystemMessages(messages),
    ...brokenPairs(messages),
    ...emptyMessages(messages),
    ...openingWithoutReasoning(messages),
  ];
}

/** Returns what names a message in a report: its id, or its place where it has none. */
export function nameOf(message: BaseMessage, index: number): string {
  return message.id === undefined || message.id === "" ? `at ${index}` : message.id;
}

/** True for a message that carries reasoning which its provider may want back. */
export function carriesReasoning({ content }: BaseMessage): boolean {
  return (
    Array.isArray(content) &&
    content.some(({ type }) => ["thinking", "redacted_thinking", "reasoning"].includes(type))
  );
}

function duplicateIds(messages: readonly BaseMessage[]): readonly string[] {
  const seen = new Set<string>();
  return messages.flatMap(({ id }) => {
    if (id === undefined || id === "") return [];
    if (seen.has(id)) return [`message id ${id} is there twice`];
    seen.add(id);
    return [];
  });
}

function lateSystemMessages(messages: readonly BaseMessage[]): readonly string[] {
  const first = messages.findIndex((message) => message.getType() !== "system");
  return messages.flatMap((message, index) =>
    first >= 0 && index > first && message.getType() === "system"
      ? [`system message ${nameOf(message, index)} is not at the start`]
      : [],
  );
}

/** A result belongs to the newest call with its id; only other results may stand between the two. */
function brokenPairs(messages: readonly BaseMessage[]): readonly string[] {
  const broken: string[] = [];
  const owners = new Map<string, string>();
  const open = new Map<string, string>();
  let block: string | undefined;
  messages.forEach((message, index) => {
    const name = nameOf(message, index);
    if (message.getType() !== "tool") block = name;
    for (const id of callIds(message)) {
      owners.set(id, name);
      open.set(`${name} ${id}`, `call ${id} of message ${name} has no result`);
    }
    if (message.getType() !== "tool") return;
    const id = (message as ToolMessage).tool_call_id;
    const owner = owners.get(id);
    if (owner === undefined) broken.push(`result ${name} has no call`);
    else if (owner !== block) broken.push(`result ${name} is parted from its call`);
    if (owner !== undefined) open.delete(`${owner} ${id}`);
  });
  return [...broken, ...open.values()];
}

function callIds(message: BaseMessage): readonly string[] {
  if (message.getType() !== "ai") return [];
  const { tool_calls: valid = [], invalid_tool_calls: invalid = [] } = message as AIMessage;
  const blocks: readonly { type?: unknown; id?: unknown }[] = Array.isArray(message.content)
    ? message.content.filter(({ type }) => type === "tool_use")
    : [];
  const ids = [...valid, ...invalid, ...blocks].map(({ id }) => id);
  return [...new Set(ids.filter((id) => typeof id === "string"))];
}

function emptyMessages(messages: readonly BaseMessage[]): readonly string[] {
  return messages.flatMap((message, index) => {
    const spoken = message.getType() === "human" || message.getType() === "ai";
    return spoken && message.content.length === 0 && callIds(message).length === 0
      ? [`message ${nameOf(message, index)} is empty`]
      : [];
  });
}

/** The running tool loop, behind the newest user message, is the one that providers check for reasoning. */
function openingWithoutReasoning(messages: readonly BaseMessage[]): readonly string[] {
  const start = messages.findLastIndex((message) => message.getType() === "human") + 1;
  const loop = messages.slice(start).filter((message) => message.getType() === "ai");
  const reasoning = loop.findIndex(carriesReasoning);
  const message = loop[reasoning];
  if (message === undefined || reasoning === 0) return [];
  return [`reasoning of ${nameOf(message, start + reasoning)} is not at the opening of its tool loop`];
}
