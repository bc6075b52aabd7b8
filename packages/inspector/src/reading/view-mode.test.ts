import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { END, MessagesDeltaValue, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import { compactionNode, contextIn, contextInputFor, contextState } from "@palimpsest/langgraph";
import { afterEach, expect, it } from "vitest";
import { contextKeys } from "./context-keys.js";
import { readState, unfoldState } from "./read-state.js";
import { ThreadHistory } from "./timeline/thread-history.js";

const savers: VfsSaver[] = [];
afterEach(async () => {
  for (const saver of savers.splice(0)) await saver.close();
});

type Place = ({ readonly outputKey: string } | { readonly keepThread: true }) & { readonly delta?: true };

/** Runs an agent whose thread stays whole while its context stands beside it. Returns what each call was sent. */
async function writeView({ delta, ...place }: Place, turns = 12) {
  const saver = VfsSaver.inMemory();
  savers.push(saver);
  const options = { files: saver.files, contextWindow: 4_000, keep: { messages: 4 }, ...place } as const;
  const { outputKey } = { outputKey: "messages", ...place };
  const sent: BaseMessage[][] = [];
  const messages = (delta ? MessagesDeltaValue : MessagesValue) as typeof MessagesValue;
  const graph = new StateGraph(new StateSchema({ messages, ...contextState }))
    .addNode("compact", compactionNode(options), { input: contextInputFor({ outputKey }) })
    .addNode(
      "agent",
      (state) => {
        sent.push([...contextIn(state, { outputKey })]);
        return { messages: [new AIMessage({ id: `a${sent.length}`, content: "word ".repeat(400) })] };
      },
      { input: contextInputFor({ outputKey }) },
    )
    .addEdge(START, "compact")
    .addEdge("compact", "agent")
    .addEdge("agent", END)
    .compile({ checkpointer: saver });
  const config = { configurable: { thread_id: "t" } };
  for (let turn = 0; turn < turns; turn++)
    await graph.invoke(
      { messages: [new HumanMessage({ id: `h${turn}`, content: `Step ${turn}.` })] },
      config,
    );
  return { saver, sent };
}

const delta: Place = { keepThread: true, delta: true };
const keys = (values: Record<string, unknown>) => contextKeys(values, Object.keys(values));
const idsOf = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);

it.each<Place>([{ outputKey: "context" }, { outputKey: "prompt" }, { keepThread: true }, delta])(
  "shows what the model was sent where the thread stays whole: %o",
  async (given) => {
    const { saver, sent } = await writeView(given);
    const { delta: _, ...place } = given;
    const state = await readState(saver, "t");
    const last = sent.at(-1) ?? [];
    const expected = { inputKey: "messages", outputKey: "messages", keepThread: false, ...place };
    expect(state.keys).toEqual(expected);
    expect(last.some((message) => foldOf(message) !== undefined)).toBe(true);
    // The reply came after the context was written.
    expect(idsOf(state.context)).toEqual([...idsOf(last), `a${sent.length}`]);
  },
);

it.each<Place>([{ outputKey: "context" }, { keepThread: true }])(
  "shows the whole thread as it happened, and folds at the steps that made them: %o",
  async (place) => {
    const { saver } = await writeView(place);
    const whole = await unfoldState(saver, await readState(saver, "t"));
    expect(idsOf(whole)).toEqual(
      Array.from({ length: 12 }, (_, turn) => [`h${turn}`, `a${turn + 1}`]).flat(),
    );
    const history = new ThreadHistory(saver, "t");
    await history.read();
    expect(history.rows.some(({ folds }) => folds.length > 0)).toBe(true);
    expect(history.rows.at(-1)?.messages).toBeLessThan(whole.length);
  },
);

it("takes no other channel of messages for the context", () => {
  const [one, two] = [
    new HumanMessage({ id: "1", content: "a" }),
    new HumanMessage({ id: "2", content: "b" }),
  ];
  const rewritten = { inputKey: "messages", outputKey: "messages", keepThread: false };
  expect(keys({ messages: [one, two], important: [two] })).toEqual(rewritten);
  expect(keys({ messages: [one], context: [one, two] })).toEqual(rewritten);
  expect(keys({ messages: [one], context: ["a text"] })).toEqual(rewritten);
  expect(keys({ chat: [one, two], other: [one] })).toEqual({
    inputKey: "chat",
    outputKey: "chat",
    keepThread: false,
  });
});
