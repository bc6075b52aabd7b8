import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { callIds, nameOf, type Illegality, type LegalityRule } from "./legality-rule.js";

type Found = Omit<Illegality, "rule">;

interface Pairs {
  readonly orphans: readonly Found[];
  readonly parted: readonly Found[];
  readonly open: readonly Found[];
  readonly twice: readonly Found[];
}

/** Pairs each result with the newest call of its id. Only other results may come between the two. */
function pairsOf(messages: readonly BaseMessage[]): Pairs {
  const found = { orphans: [] as Found[], parted: [] as Found[], twice: [] as Found[] };
  const owners = new Map<string, string>();
  const open = new Map<string, Found>();
  let block: string | undefined;
  messages.forEach((message, index) => {
    const name = nameOf(message, index);
    if (message.getType() !== "tool") block = name;
    for (const id of callIds(message)) {
      owners.set(id, name);
      open.set(`${name} ${id}`, { message: `call ${id} of message ${name} has no result`, index });
    }
    if (message.getType() !== "tool") return;
    const id = (message as ToolMessage).tool_call_id;
    const owner = owners.get(id);
    if (owner === undefined) found.orphans.push({ message: `result ${name} has no call`, index });
    else if (owner !== block) found.parted.push({ message: `result ${name} is parted from its call`, index });
    else if (!open.has(`${owner} ${id}`)) {
      found.twice.push({ message: `result ${name} is a second one of call ${id}`, index });
    }
    if (owner !== undefined) open.delete(`${owner} ${id}`);
  });
  return { ...found, open: [...open.values()] };
}

const all = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;

/** Rules about calls and results: chat APIs require results directly after their calls, the Responses API pairs them by id. */
export const pairRules: readonly LegalityRule[] = [
  { name: "result-has-call", providers: all, check: (messages) => pairsOf(messages).orphans },
  { name: "call-has-result", providers: all, check: (messages) => pairsOf(messages).open },
  {
    name: "results-follow-calls",
    providers: ["openai-chat", "anthropic", "gemini"],
    check: (messages) => pairsOf(messages).parted,
  },
  {
    name: "one-result-a-call",
    providers: ["anthropic", "gemini"],
    check: (messages) => pairsOf(messages).twice,
  },
];
