import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { DeltaValue, MessagesDeltaValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import type { VfsSaver } from "../saver/vfs-saver.js";

/** What a run left in its two delta channels. */
interface Channels {
  readonly log: unknown;
  readonly messages: unknown;
}

export interface DeltaRuns {
  /** After each run, the channels as the graph returned them. */
  readonly live: Channels[];
  /** After each run, the channels rebuilt from checkpoints. */
  readonly rebuilt: Channels[];
}

/** Runs a graph with delta channels and three parallel writers `runs` times, on four threads in turn. */
export async function deltaRuns(saver: VfsSaver, runs: number): Promise<DeltaRuns> {
  const found: DeltaRuns = { live: [], rebuilt: [] };
  const State = new StateSchema({
    messages: MessagesDeltaValue,
    log: new DeltaValue(
      z.array(z.string()).default(() => []),
      {
        inputSchema: z.array(z.string()),
        reducer: (current: string[], writes: readonly string[][]) => [...current, ...writes.flat()],
        snapshotFrequency: 7,
      },
    ),
  });
  const builder = new StateGraph(State)
    .addNode("zeta", () => ({ log: ["zeta"], messages: [new AIMessage("zeta")] }))
    .addNode("alpha", () => ({ log: ["alpha"], messages: [new AIMessage("alpha")] }))
    .addNode("mid", () => ({ log: ["mid"], messages: [new AIMessage("mid")] }));
  const graph = builder
    .addEdge(START, "zeta")
    .addEdge(START, "alpha")
    .addEdge(START, "mid")
    .compile({ checkpointer: saver });
  for (let run = 0; run < runs; run++) {
    const config = { configurable: { thread_id: `t${run % 4}` } };
    const live = await graph.invoke({ messages: [new HumanMessage(`run ${run}`)] }, config);
    const { values } = await graph.getState(config);
    found.live.push(channelsOf(live));
    found.rebuilt.push(channelsOf(values));
  }
  return found;
}

function channelsOf({ log, messages = [] }: { log?: string[]; messages?: BaseMessage[] }): Channels {
  return { log, messages: messages.map(({ content }) => content) };
}
