import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { emptyCheckpoint } from "@langchain/langgraph";
import { z } from "zod";
import { madeStep } from "../data/made/made-step.js";

/** A measured task. */
export interface TripTask {
  readonly name: string;
  /** What is in the URLs of its code. @default our packages */
  readonly where?: string;
  readonly run: () => Promise<unknown>;
}

type Hook = (state: object, runtime: object) => Promise<unknown>;

/** What langchain hands to a middleware. */
const runtime = { configurable: { thread_id: "t" }, context: {} };
const summarizer = { invoke: async () => new AIMessage("## Findings\n- all values are known") };

/** Returns a question and so many steps, each a call and a result of about `tokens`. */
function history(steps: number, tokens: number): BaseMessage[] {
  const line = "row 17 of the table holds 8,219 and was read twice\n";
  const read = Array.from({ length: steps }, (_, step) => {
    const result = `${step}\n${line.repeat(Math.ceil(tokens / 12))}`;
    return madeStep({ id: step, said: "", name: "look", args: { step }, result });
  });
  return [new HumanMessage({ id: "u", content: "Find every value." }), ...read.flat()];
}

/** Returns a result of 112 KB. */
function large(): ToolMessage {
  const rows = Array.from({ length: 2_400 }, (_, row) => `row ${row} of the result holds ${row * 7_919}`);
  const content = rows.join("\n").slice(0, 112_000).padEnd(112_000, ".");
  return new ToolMessage({ id: "large", tool_call_id: "call-0", name: "look", content });
}

/** Returns the trips, with modules that are loaded now: the coverage has to see them. */
export async function loadTrips(): Promise<readonly TripTask[]> {
  const { compactionNode, offloadTools } = await import("@palimpsest/langgraph");
  const { VirtualFilesystem } = await import("@palimpsest/vfs");
  let runs = 0;
  const inThread = () => ({ configurable: { thread_id: `t${runs++}`, checkpoint_ns: "" } });
  const files = VirtualFilesystem.inMemory();
  const node = (contextWindow: number, messages: readonly BaseMessage[]) => {
    const run = compactionNode({ files, contextWindow, model: summarizer });
    return async () => run({ messages: [...messages], compaction: {} }, inThread());
  };
  const look = tool(async () => large(), { name: "look", description: "Looks.", schema: z.object({}) });
  const [wrapped] = offloadTools([look], { files, contextWindow: 200_000 });
  const call = { type: "tool_call", id: "call-0", name: "look", args: {} };
  const long = [...history(60, 280), new HumanMessage({ id: "v", content: "Go on." })];
  const before = await summarizationHook();
  const saver = await temporarySaver();
  const saved = { channel_values: { messages: history(10, 40) }, channel_versions: { messages: 1 } };
  const metadata = { source: "loop" as const, step: 1, parents: {} };
  return [
    { name: "quiet step", run: node(200_000, history(10, 40)) },
    {
      name: "offload of 112 KB through the node",
      run: node(200_000, [...history(1, 40).slice(0, 2), large()]),
    },
    {
      name: "offload of 112 KB through tools",
      run: async () => wrapped?.invoke(call as never, inThread() as never),
    },
    { name: "summary compaction of 122 messages", run: node(20_000, long) },
    {
      name: "put of 21 messages",
      run: () => saver.put(inThread(), { ...emptyCheckpoint(), ...saved }, metadata, { messages: 1 }),
    },
    {
      name: "getTuple of 21 messages",
      run: () => saver.getTuple({ configurable: { thread_id: `t${runs - 1}`, checkpoint_ns: "" } }),
    },
    {
      name: "langchain: quiet step",
      where: "/langchain/",
      run: () => before({ messages: history(10, 40) }, runtime),
    },
    {
      name: "langchain: summary compaction of 122 messages",
      where: "/langchain/",
      run: () => before({ messages: [...long] }, runtime),
    },
  ];
}

/** Returns what langchain's summarization runs before a call of the model. */
async function summarizationHook(): Promise<Hook> {
  const { summarizationMiddleware } = await import("langchain");
  const { beforeModel } = summarizationMiddleware({
    model: { ...summarizer, profile: { maxInputTokens: 20_000 } },
    trigger: { fraction: 0.85 },
    keep: { messages: 20 },
  } as never) as unknown as { readonly beforeModel: Hook | { readonly hook: Hook } };
  return typeof beforeModel === "function" ? beforeModel : beforeModel.hook;
}

/** Returns a saver in a folder that is removed at the end of the process. */
async function temporarySaver() {
  const { VfsSaver } = await import("@palimpsest/checkpoint");
  const folder = mkdtempSync(join(tmpdir(), "trips-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return VfsSaver.fromPath(join(folder, "agent.db"));
}
