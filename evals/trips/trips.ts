import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { emptyCheckpoint } from "@langchain/langgraph";
import { z } from "zod";

/** A measured task, and where its code is. */
export interface TripTask {
  readonly name: string;
  readonly where: string;
  readonly run: () => Promise<unknown>;
}

const ours = "/packages/";
type Hook = (state: object, runtime: object) => Promise<unknown>;

/** What langchain hands to a middleware. */
const runtime = { configurable: { thread_id: "t" }, context: {} };
const summarizer = { invoke: async () => new AIMessage("## Findings\n- all values are known") };

/** Returns a question and `count` further messages, alternately calls and results of about `tokens`. */
function history(count: number, tokens: number): BaseMessage[] {
  const line = "row 17 of the table holds 8,219 and was read twice\n";
  const steps = Array.from({ length: Math.floor(count / 2) }, (_, step) => [
    new AIMessage({
      id: `a${step}`,
      content: "",
      tool_calls: [{ id: `c${step}`, name: "look", args: { step } }],
    }),
    new ToolMessage({
      id: `r${step}`,
      tool_call_id: `c${step}`,
      name: "look",
      content: `${step}\n${line.repeat(Math.ceil(tokens / 12))}`,
    }),
  ]);
  return [new HumanMessage({ id: "u", content: "Find every value." }), ...steps.flat()];
}

function large(): ToolMessage {
  const content = Array.from(
    { length: 2_000 },
    (_, row) => `row ${row} of the result holds the value ${row * 7_919}`,
  );
  const text = content.join("\n").slice(0, 112_000);
  return new ToolMessage({
    id: "large",
    tool_call_id: "c0",
    name: "look",
    content: text.padEnd(112_000, "."),
  });
}

/** Returns the trips, with modules that are loaded now: the coverage has to see them. */
export async function loadTrips(): Promise<readonly TripTask[]> {
  const { compactionNode, offloadTools } = await import("@palimpsest/langgraph");
  const { VirtualFilesystem } = await import("@palimpsest/vfs");
  const { VfsSaver } = await import("@palimpsest/checkpoint");
  const { summarizationMiddleware } = await import("langchain");
  let runs = 0;
  const inThread = () => ({ configurable: { thread_id: `t${runs++}` } });
  const files = VirtualFilesystem.inMemory();
  const quiet = compactionNode({ files, contextWindow: 200_000, model: summarizer });
  const tight = compactionNode({ files, contextWindow: 20_000, model: summarizer });
  const look = tool(async () => large(), { name: "look", description: "Looks.", schema: z.object({}) });
  const [wrapped] = offloadTools([look], { files, contextWindow: 200_000 });
  const long = history(121, 280);
  const peer = summarizationMiddleware({
    model: { ...summarizer, profile: { maxInputTokens: 20_000 } },
    trigger: { fraction: 0.85 },
    keep: { messages: 20 },
  } as never) as unknown as {
    beforeModel: Hook | { hook: never };
  };
  const { beforeModel } = peer;
  const before = typeof beforeModel === "function" ? beforeModel : beforeModel.hook;
  const folder = mkdtempSync(join(tmpdir(), "trips-"));
  const saver = VfsSaver.fromPath(join(folder, "agent.db"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const saved = history(21, 40);
  const metadata = { source: "loop" as const, step: 1, parents: {} };
  const node = (run: typeof quiet, messages: readonly BaseMessage[]) => async () =>
    run({ messages: [...messages], compaction: {} }, inThread());
  const call = { type: "tool_call", id: "c0", name: "look", args: {} };
  return [
    { name: "quiet step", where: ours, run: node(quiet, history(20, 40)) },
    {
      name: "offload of 112 KB through the node",
      where: ours,
      run: node(quiet, [...history(2, 40).slice(0, 2), large()]),
    },
    {
      name: "offload of 112 KB through tools",
      where: ours,
      run: async () => wrapped?.invoke(call as never, inThread() as never),
    },
    {
      name: "summary compaction of 122 messages",
      where: ours,
      run: node(tight, [...long, new HumanMessage({ id: "v", content: "Go on." })]),
    },
    {
      name: "put of 22 messages",
      where: ours,
      run: async () =>
        saver.put(
          { configurable: { ...inThread().configurable, checkpoint_ns: "" } },
          { ...emptyCheckpoint(), channel_values: { messages: saved }, channel_versions: { messages: 1 } },
          metadata,
          { messages: 1 },
        ),
    },
    {
      name: "getTuple of 22 messages",
      where: ours,
      run: async () => saver.getTuple({ configurable: { thread_id: `t${runs - 1}`, checkpoint_ns: "" } }),
    },
    {
      name: "langchain: quiet step",
      where: "/langchain/",
      run: async () => before({ messages: history(20, 40) }, runtime),
    },
    {
      name: "langchain: summary compaction of 122 messages",
      where: "/langchain/",
      run: async () =>
        before({ messages: [...long, new HumanMessage({ id: "v", content: "Go on." })] }, runtime),
    },
  ];
}
