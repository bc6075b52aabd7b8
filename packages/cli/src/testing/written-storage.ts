import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { estimateTokens } from "@palimpsest/context";
import { compactionNode, contextState } from "@palimpsest/langgraph";
import Database from "libsql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directories: string[] = [];

/** Returns a path at which nothing is, in a new directory. */
export function newPath(name = "agent.db"): string {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-cli-"));
  directories.push(directory);
  return join(directory, name);
}

/** For `afterAll` of each test file: the files of one worker share this module, so it cannot register the hook itself. */
export function removePaths(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}

export const hostile = "\u001b[2J\u202egnp.exe <script>alert(1)</script>";

/** The needle of one result that is folded away. */
export const needle = "the heron token is 48151623";

/** Writes a thread that is mostly folded: results of tools, and a summary over them. */
export async function writeThread(saver: VfsSaver, threadId: string, turns = 12): Promise<void> {
  const options = { files: saver.files, contextWindow: 4_000, keep: { messages: 4 } };
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compactionNode(options))
    .addNode("agent", (state) => ({
      messages: callAndResult(state.messages),
    }))
    .addEdge(START, "compact")
    .addEdge("compact", "agent")
    .addEdge("agent", END)
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < turns; turn++) {
    const question = new HumanMessage({
      id: `h${turn}`,
      content: turn === 0 ? `Go. ${hostile}` : `Step ${turn}.`,
    });
    await graph.invoke({ messages: [question] }, { configurable: { thread_id: threadId } });
  }
}

/** Writes a file with the thread "one", most of which is folded, and the short thread "two". */
export async function writeThreads(path: string): Promise<void> {
  const saver = VfsSaver.fromPath(path);
  await writeThread(saver, "one");
  await writeThread(saver, "two", 2);
  await saver.close();
}

/** Writes other bytes into every checkpoint of a thread, behind the back of the saver. */
export function damageThread(path: string, threadId: string): void {
  const database = new Database(path);
  database
    .prepare(
      "UPDATE checkpoints SET data = zeroblob(9) WHERE space IN (SELECT id FROM spaces WHERE thread = ?)",
    )
    .run(threadId);
  database.close();
}

function callAndResult(messages: BaseMessage[]) {
  const at = messages.filter((message) => HumanMessage.isInstance(message)).length;
  const id = `call-${at}`;
  const text = `${at === 1 ? needle : `line of ${at}`}\n`.repeat(200);
  const call = new AIMessage({
    id: `a${at}`,
    content: "",
    tool_calls: [{ id, name: "fetch", args: { page: at } }],
    ...reported(estimateTokens(messages)),
  });
  const result = new ToolMessage({ id: `r${at}`, name: "fetch", tool_call_id: id, content: text });
  const usage = reported(estimateTokens([...messages, call, result]));
  return [call, result, new AIMessage({ id: `b${at}`, content: `Page ${at} is read.`, ...usage })];
}

/** What a model reports of a call. The fields are typed for a message without tool calls. */
function reported(input: number): object {
  const usage = { input_tokens: input, output_tokens: 10, total_tokens: input + 10 };
  return {
    usage_metadata: { ...usage, input_token_details: { cache_read: 5 } },
    response_metadata: { model_name: "scripted" },
  };
}
