import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  type AIMessageFields,
  type BaseMessage,
  type StandardMessageStructure,
} from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { estimateTokens, toolCalls } from "@palimpsest/context";
import { z } from "zod";

const hosts = 8;
const parts = ["north", "south"] as const;

/** Returns the page of a host: 60 lines of noise and one address. */
export const hostTool = tool(
  ({ host }) =>
    Array.from({ length: 60 }, (_, line) =>
      line === 31
        ? `${host} listens on port ${portOf(host)}`
        : `${host} row ${line}: load ${(line * 13) % 97} %`,
    ).join("\n"),
  {
    name: "read_host",
    description: "Returns what is known of a host.",
    schema: z.object({ host: z.string() }),
  },
);

/** Takes the agent's list of tasks; what it holds is read from the call itself. */
export const todoTool = tool(() => "The list is updated.", {
  name: "write_todos",
  description: "Replaces the list of tasks.",
  schema: z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) }),
});

function portOf(host: string): number {
  return 8_000 + Number(/\d+$/.exec(host)?.[0] ?? 0) * 37 + (host.startsWith("south") ? 1_000 : 0);
}

/**
 * An offline model that surveys two parts of a network, host by host, and asks for a compaction between the two: the
 * first is done, nothing of it is needed word for word, and much is to be read next.
 */
export class Surveyor extends BaseChatModel {
  override _llmType(): string {
    return "surveyor";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const tokens = estimateTokens(messages);
    const usage = { input_tokens: tokens, output_tokens: 20, total_tokens: tokens + 20 };
    const fields: AIMessageFields<StandardMessageStructure> = {
      ...nextStep(messages),
      usage_metadata: usage,
    };
    return { generations: [{ text: "", message: new AIMessage<StandardMessageStructure>(fields) }] };
  }
}

function nextStep(messages: readonly BaseMessage[]) {
  const last = messages.flatMap((message) => toolCalls(message)).at(-1);
  const host = last?.args["host"];
  if (last === undefined) return todos("north");
  if (last.name === "compress_context") return todos("south");
  if (last.name === "write_todos") return read(partOf(last.args["todos"]), 1);
  if (last.name === "grep") return answer(messages);
  if (typeof host !== "string") return answer(messages);
  const [part = "north", number = "0"] = host.split("-");
  if (Number(number) < hosts) return read(part, Number(number) + 1);
  if (part === "north") {
    const reason = "The north is surveyed, the south comes next";
    return call("The north is done.", "compress_context", { strategy: "summarize", reason });
  }
  return answer(messages);
}

function read(part: string, number: number) {
  return call(`Reading ${part}-${number}.`, "read_host", { host: `${part}-${number}` });
}

function todos(doing: "north" | "south") {
  const list = parts.map((part) => ({
    content: `Survey the ${part}`,
    status: part === doing ? "in_progress" : doing === "south" ? "completed" : "pending",
  }));
  return call(`Now the ${doing}.`, "write_todos", { todos: list });
}

function partOf(list: unknown): string {
  const doing = (list as { content: string; status: string }[]).find(
    ({ status }) => status === "in_progress",
  );
  return doing?.content.split(" ").at(-1) ?? "north";
}

/** From the context where the line is still there, otherwise from the archive. */
function answer(messages: readonly BaseMessage[]) {
  const text = messages.map((message) => message.text).join("\n");
  const port = /north-3 listens on port (\d+)/.exec(text)?.[1];
  if (port !== undefined) return { content: `north-3 listens on port ${port}.` };
  return call("Looking it up.", "grep", { pattern: "north-3 listens on port", path: "/context/" });
}

function call(content: string, name: string, args: Record<string, unknown>) {
  return { content, tool_calls: [{ id: crypto.randomUUID(), name, args }] };
}
