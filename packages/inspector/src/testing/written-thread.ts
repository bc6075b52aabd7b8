import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { estimateTokens } from "@palimpsest/context";
import { compactionNode, contextState } from "@palimpsest/langgraph";

/** Text that would do harm if it were taken for markup, for a command or for the order of other text. */
export const hostile =
  '\u001b[2J\u202egnp.exe <script>document.title = "owned"</script><img src=x onerror=alert(1)>';

/** The needle of one result that is folded away. */
export const needle = "the heron token is 48151623";

/** Runs an agent in a small window until most of its thread is folded. */
export async function writeThread(
  saver: VfsSaver,
  threadId: string,
  given: number | { readonly turns: number; readonly keepThread: boolean } = 12,
): Promise<void> {
  const { turns, keepThread } = typeof given === "number" ? { turns: given, keepThread: false } : given;
  const model = new Summarizer({});
  const options = { files: saver.files, contextWindow: 4_000, keep: { messages: 4 }, model, keepThread };
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compactionNode(options))
    .addNode("agent", ({ messages }) => ({ messages: callAndResult(messages) }))
    .addEdge(START, "compact")
    .addEdge("compact", "agent")
    .addEdge("agent", END)
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < turns; turn++) {
    const id = `h${await stepsOf(saver, threadId)}`;
    const question = new HumanMessage({ id, content: turn === 0 ? `Go. ${hostile}` : `Step ${turn}.` });
    await graph.invoke({ messages: [question] }, { configurable: { thread_id: threadId } });
  }
}

async function stepsOf(saver: VfsSaver, threadId: string): Promise<number> {
  let steps = 0;
  for await (const _ of saver.checkpoints(threadId)) steps += 1;
  return steps;
}

function callAndResult(messages: readonly BaseMessage[]): BaseMessage[] {
  const at = `${messages.length}-${messages.at(-1)?.id}`;
  const isFirst = messages.length === 1;
  const call = { id: `call-${at}`, name: "fetch", args: { page: at } };
  return [
    new AIMessage({ id: `a${at}`, content: "", tool_calls: [call], ...reported(estimateTokens(messages)) }),
    new ToolMessage({
      id: `r${at}`,
      name: "fetch",
      tool_call_id: call.id,
      content: `${isFirst ? needle : `line of ${at}`}\n`.repeat(200),
    }),
    new AIMessage({ id: `b${at}`, content: `Page ${at} is read.` }),
  ];
}

/** What a model reports of a call. The fields are typed for a message without tool calls. */
function reported(input: number, model = "scripted"): object {
  const usage = { input_tokens: input, output_tokens: 10, total_tokens: input + 10 };
  return {
    usage_metadata: { ...usage, input_token_details: { cache_read: 5 } },
    response_metadata: { model_name: model },
  };
}

/** Writes the same summary of everything, and reports what that took. */
class Summarizer extends BaseChatModel {
  override _llmType(): string {
    return "summarizer";
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const usage = reported(estimateTokens(messages), "scripted-small");
    const message = new AIMessage({ content: "## Findings\n- The pages are read.", ...usage });
    return { generations: [{ text: message.text, message }] };
  }
}
