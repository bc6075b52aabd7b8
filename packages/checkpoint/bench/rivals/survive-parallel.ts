import { AIMessage } from "@langchain/core/messages";
import { MessagesDeltaValue, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { run, textsOf, thread } from "./chat.js";
import type { Rival } from "./rivals.js";

/** Returns after how many of some runs with three parallel writers the messages are in another order when they are read again. */
export async function reordered({ create, isDelta }: Rival, runs: number): Promise<number> {
  const storage = create();
  const { saver, close } = storage.open();
  const messages = (isDelta ? MessagesDeltaValue : MessagesValue) as typeof MessagesValue;
  const graph = new StateGraph(new StateSchema({ messages }))
    .addNode("zeta", () => ({ messages: [new AIMessage("zeta")] }))
    .addNode("alpha", () => ({ messages: [new AIMessage("alpha")] }))
    .addNode("mid", () => ({ messages: [new AIMessage("mid")] }))
    .addEdge(START, "zeta")
    .addEdge(START, "alpha")
    .addEdge(START, "mid")
    .compile({ checkpointer: saver });
  let wrong = 0;
  for (let count = 0; count < runs; count++) {
    const config = { ...run, configurable: { thread_id: `${thread.configurable.thread_id} ${count}` } };
    const live = textsOf(await graph.invoke({ messages: [] }, config));
    const again = textsOf((await graph.getState(config)).values);
    if (live.join() !== again.join()) wrong += 1;
  }
  await close();
  storage.remove();
  return wrong;
}
