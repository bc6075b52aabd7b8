import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { estimateTokens } from "@palimpsest/context";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";

/** Tokens of the window, and of what is sent beside the messages. */
export const auditWindow = 4_000;
const beside = 300;
/** What the model is sent before the messages. */
export const systemPrompt = "You audit pages, one at a time.";
/** Lines of a file that the agent writes: more characters than a card shows at first. */
export const written = Array.from({ length: 90 }, (_, at) => `finding ${at} of the audit`).join("\n");

export interface AuditFacts {
  /** Tokens of each prompt, as the model reported them. */
  readonly prompts: readonly number[];
}

/**
 * Runs an agent with a model, tools and a compaction in a graph of its own: every state after the tools is larger than what is
 * sent. A tool fails, another does not exist.
 */
export async function writeAudit(
  saver: VfsSaver,
  threadId: string,
  given: number | Omit<AuditOptions, "prompts"> = 12,
): Promise<AuditFacts> {
  const prompts: number[] = [];
  const graph = auditGraph(saver, { prompts, ...(typeof given === "number" ? { turns: given } : given) });
  const config = { configurable: { thread_id: threadId }, recursionLimit: 200 };
  await graph.invoke({ messages: [new HumanMessage("Audit the pages.")] }, config);
  return { prompts };
}

/** A summary model whose provider refuses every call. */
export class RefusedModel extends BaseChatModel {
  override _llmType(): string {
    return "refused";
  }

  override async _generate(): Promise<never> {
    throw Object.assign(new Error("429 Too many requests"), { status: 429 });
  }
}

interface AuditOptions {
  readonly prompts: number[];
  readonly turns: number;
  /** Writes the summaries. */
  readonly model?: BaseChatModel;
}

export function auditGraph(saver: VfsSaver, { prompts, turns, ...given }: AuditOptions) {
  const beside = { systemPrompt, tools: [fetchPage] };
  const options = {
    files: saver.files,
    contextWindow: auditWindow,
    keep: { messages: 4 },
    ...beside,
    ...given,
  };
  const tools = new ToolNode([fetchPage, ...fileTools({ files: saver.files })]);
  return new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", ({ messages }) => ({ messages: [reply(messages, { prompts, turns })] }))
    .addNode("tools", tools)
    .addNode("compact", compactionNode(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls?.length === 0 ? END : "tools",
    )
    .addEdge("tools", "compact")
    .compile({ checkpointer: saver });
}

const schema = { type: "object", properties: { page: { type: "number" } }, required: ["page"] } as const;
const fetchPage = tool(
  ({ page }: { page: number }) => {
    if (page % 5 === 3) throw new Error(`HTTP 500 from page ${page}`);
    return `line of page ${page}\n`.repeat(90);
  },
  { name: "fetch", description: "Reads a page.", schema },
);

function reply(messages: readonly BaseMessage[], { prompts, turns }: AuditOptions): AIMessage {
  const turn = prompts.length;
  const input = estimateTokens(messages) + beside;
  prompts.push(input);
  const usage = { input_tokens: input, output_tokens: 10, total_tokens: input + 10 };
  const calls = turn === turns - 1 ? [] : [callOf(turn)];
  const fields = { content: `Turn ${turn}.`, tool_calls: calls };
  return new AIMessage({
    ...fields,
    usage_metadata: usage,
    response_metadata: { model_name: "scripted" },
  } as object);
}

function callOf(turn: number) {
  const id = `call-${turn}`;
  if (turn === 1) return { id, name: "write_file", args: { path: "/notes.md", content: written } };
  if (turn === 2)
    return {
      id,
      name: "edit_file",
      args: { path: "/notes.md", old_string: "finding 3 of the audit\n", new_string: "finding three\n" },
    };
  // What the first turn has read, after it was folded.
  if (turn === 14) return { id, name: "fetch", args: { page: 0 } };
  if (turn === 4) return { id, name: "no_such_tool", args: {} };
  return { id, name: "fetch", args: { page: turn } };
}
