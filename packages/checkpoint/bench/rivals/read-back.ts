import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { chat, historyOf, reader, run, textsOf, thread } from "./chat.js";
import type { Rival } from "./rivals.js";
import type { Storage } from "./storage.js";

/** What a read of a thread led to. */
export type Outcome = "exact" | "noticed" | "silent";

/** Writes a thread of some turns of two messages each. */
export async function talk({ create, isDelta }: Rival, turns: number): Promise<Storage> {
  const storage = create();
  const { saver, close } = storage.open();
  let answers = 0;
  const graph = chat({ saver, isDelta, next: () => new AIMessage(said(`answer ${answers++}`)) });
  for (let turn = 0; turn < turns; turn++)
    await graph.invoke({ messages: [new HumanMessage(said(`turn ${turn}`))] }, run);
  await close();
  return storage;
}

/** A message that is too long to be stored inline by any saver. */
function said(text: string): string {
  return Array.from({ length: 80 }, (_, word) => `${text} word ${word}`).join(" ");
}

/** Returns the messages of the newest checkpoint. Throws what the saver throws. */
export async function newest({ isDelta }: Rival, storage: Storage): Promise<string[]> {
  const { saver, close } = storage.open();
  try {
    return textsOf((await reader(saver, isDelta).getState(thread)).values);
  } finally {
    await close();
  }
}

/** Returns the newest state and every earlier one, as text. Throws what the saver throws. */
export async function everything({ isDelta }: Rival, storage: Storage): Promise<string> {
  const { saver, close } = storage.open();
  try {
    const graph = reader(saver, isDelta);
    const states = [await graph.getState(thread), ...(await historyOf(graph))];
    return JSON.stringify(
      states.map(({ values, next, metadata, config }) => ({
        texts: textsOf(values),
        next,
        step: metadata?.step,
        id: config.configurable?.["checkpoint_id"],
      })),
    );
  } finally {
    await close();
  }
}
