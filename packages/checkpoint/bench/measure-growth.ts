import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  END,
  MessagesDeltaValue,
  MessagesValue,
  Overwrite,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { randomUUID } from "node:crypto";
import type { VfsSaver } from "../src/index.js";
import { subjects } from "./subjects.js";
import type { OpenSubject, Subject } from "./subjects.js";
import { messageBytes, texts } from "./texts.js";
import type { TextKind } from "./texts.js";

const thread = { configurable: { thread_id: "bench" }, recursionLimit: 1e6 };

export interface Growth {
  readonly steps: number;
  readonly bytes: number;
  /** Bytes stored for each byte of content. */
  readonly factor: number;
  readonly msPerStep: number;
}

export interface GrowthOptions {
  readonly steps: number;
  readonly kind: TextKind;
  readonly delta?: boolean;
}

/** Measures a node that loops and adds a 2 KB message on each step: the bytes stored, and the time of a step. */
export async function growth(
  open: OpenSubject,
  { steps, kind, delta = false }: GrowthOptions,
): Promise<Growth> {
  const { saver, finish } = await open();
  const next = texts(kind);
  let left = steps;
  const messages = delta ? MessagesDeltaValue : MessagesValue;
  const graph = new StateGraph(new StateSchema({ messages: messages as typeof MessagesValue }))
    .addNode("step", () => ({ messages: [new AIMessage(next())] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", () => (--left > 0 ? "step" : END))
    .compile({ checkpointer: saver });
  const start = performance.now();
  await graph.invoke({ messages: [] }, thread);
  const msPerStep = (performance.now() - start) / steps;
  const bytes = await finish();
  return { steps, bytes, factor: bytes / (steps * messageBytes), msPerStep };
}

/** Measures the same with a compaction that archives all but the newest 10 of 60 messages. */
export async function growthCompacted(steps: number): Promise<Growth> {
  const { saver, finish } = await compactedSubject();
  const next = texts("random");
  let left = steps;
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("step", () => ({ messages: [new AIMessage(next())] }))
    .addNode("compact", async ({ messages }) => {
      const old = messages.slice(0, -10);
      const path = `/context/history/${left}.jsonl`;
      await saver.files
        .thread("bench")
        .archive.append(path, old.map((message) => JSON.stringify(message)).join("\n"));
      return {
        messages: new Overwrite([
          new HumanMessage({ content: `See ${path}`, id: randomUUID() }),
          ...messages.slice(-10),
        ]) as never,
      };
    })
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ messages }) =>
      --left <= 0 ? END : messages.length > 60 ? "compact" : "step",
    )
    .addEdge("compact", "step")
    .compile({ checkpointer: saver });
  const start = performance.now();
  await graph.invoke({ messages: [] }, thread);
  const msPerStep = (performance.now() - start) / steps;
  const bytes = await finish();
  return { steps, bytes, factor: bytes / (steps * messageBytes), msPerStep };
}

async function compactedSubject(): Promise<Subject & { readonly saver: VfsSaver }> {
  return (await subjects(undefined)["VfsSaver"]?.()) as Subject & { readonly saver: VfsSaver };
}
