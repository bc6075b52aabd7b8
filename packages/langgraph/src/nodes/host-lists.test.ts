import { AIMessage, HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
  type Overwrite,
} from "@langchain/langgraph";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";
import { compactionNode } from "./compaction-node.js";
import { withCompaction } from "./with-compaction.js";

interface Messages {
  messages: BaseMessage[];
}
type ModelNode = (state: Messages, config: LangGraphRunnableConfig) => Promise<Messages>;

const window = 6_000;
const turns = 40;
const thread = inThread("t");
const system = "You are a librarian.";
const joined = Annotation.Root({
  messages: Annotation<BaseMessage[]>({
    reducer: (before, added) => [...before, ...added],
    default: () => [],
  }),
});
const states = {
  MessagesAnnotation,
  "a reducer that joins lists": joined as unknown as typeof MessagesAnnotation,
};
const cases = Object.keys(states) as (keyof typeof states)[];

interface Host {
  readonly state: keyof typeof states;
  /** Ids of the messages that come in. */
  readonly hasIds?: boolean;
  /** Returns the node from the model call, and from the options of compaction. */
  readonly node: (call: ModelNode, options: { readonly files: VirtualFilesystem }) => ModelNode;
}

/** Plays a long conversation, and returns its prompts, its messages and the thread as it can be read back. */
async function played({ state, hasIds = true, node }: Host) {
  const files = VirtualFilesystem.inMemory();
  const model = new ScriptedModel((_, call) => new AIMessage(`answer ${call}. ${filler(150, call)}`));
  const call: ModelNode = async ({ messages }) => ({ messages: [await model.invoke(messages)] });
  const graph = new StateGraph(states[state])
    .addNode("model", node(call, { files }))
    .addEdge(START, "model")
    .compile({ checkpointer: new MemorySaver() });
  for (let turn = 0; turn < turns; turn++) {
    const content = `question ${turn}. ${filler(150, turn + turns)}`;
    const asked = new HumanMessage({ content, ...(hasIds && { id: `question-${turn}` }) });
    await graph.invoke({ messages: [asked] }, thread);
  }
  const { messages } = (await graph.getState(thread)).values as Messages;
  return { model, messages, whole: await readThread(graph, thread, { files }) };
}

/** Returns what a thread says, without the text that fills it. */
function lines(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map(({ text }) => text.split(".")[0] ?? "");
}

const conversation = Array.from({ length: turns }, (_, turn) => [
  `question ${turn}`,
  `answer ${turn}`,
]).flat();

function options({ files }: { readonly files: VirtualFilesystem }) {
  return { files, contextWindow: window, summaryModel: "none" } as const;
}

describe.each(cases)("a host that calls the node itself, with %s", (state) => {
  const withSystem: Readonly<Record<string, Host["node"]>> = {
    withCompaction(call, given) {
      const fitted: ModelNode = withCompaction(call, options(given));
      return async ({ messages }, config) =>
        fitted({ messages: [new SystemMessage(system), ...messages] }, config);
    },
    compactionNode(call, given) {
      const compact = compactionNode(options(given));
      return async ({ messages }, config) => {
        const head = new SystemMessage(system);
        const update = await compact({ messages: [head, ...messages] }, config);
        const { value = messages } = (update["messages"] ?? {}) as Partial<Overwrite<BaseMessage[]>>;
        const said = await call({ messages: [head, ...value] }, config);
        return value === messages
          ? said
          : ({ messages: { __overwrite__: [...value, ...said.messages] } } as never);
      };
    },
  };

  it.each(Object.entries(withSystem))(
    "keeps the system message that it puts before the list out of the thread: %s",
    async (_, node) => {
      const { model, messages, whole } = await played({ state, node });
      expect(messages.filter((message) => foldOf(message) !== undefined).length).toBeGreaterThan(0);
      for (const prompt of model.prompts) {
        const types = prompt.map((message) => message.getType());
        expect([types[0], types.lastIndexOf("system")]).toEqual(["system", 0]);
        expect(estimateTokens(prompt)).toBeLessThan(window);
      }
      expect(messages.some((message) => message.getType() === "system")).toBe(false);
      expect(lines(whole)).toEqual(conversation);
    },
  );

  it.each([true, false])(
    "loses nothing and fits the window if it passes all but the oldest message, with ids: %s",
    async (hasIds) => {
      const { model, messages } = await played({
        state,
        hasIds,
        node(call, given) {
          const fitted: ModelNode = withCompaction(call, options(given));
          return async (all, config) => fitted({ messages: all.messages.slice(1) }, config);
        },
      });
      expect(lines(messages)).toEqual(conversation);
      expect(estimateTokens(messages)).toBeGreaterThan(window);
      expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(window);
    },
  );

  it("finds the whole thread by its id if the host passes no config", async () => {
    const { model, messages, whole } = await played({
      state,
      node(call, given) {
        const fitted: (all: Messages) => Promise<Messages> = withCompaction(
          async (all: Messages) => call(all, {}),
          options(given),
        );
        return async (all) => fitted(all);
      },
    });
    expect(messages.filter((message) => foldOf(message) !== undefined).length).toBeGreaterThan(0);
    expect(lines(whole)).toEqual(conversation);
    expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(window);
  });

  it("keeps what the thread says if it changes messages for the call, and sends nothing else of them", async () => {
    const { model, messages } = await played({
      state,
      node(call, given) {
        const fitted: ModelNode = withCompaction(call, options(given));
        return async (all, config) =>
          fitted({ messages: all.messages.map((message) => masked(message)) }, config);
      },
    });
    expect(lines(messages)).toEqual(conversation);
    expect(model.prompts.flat().some((message) => foldOf(message) !== undefined)).toBe(true);
    expect(JSON.stringify(model.prompts)).not.toMatch(/question \d/);
    expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(window);
  });
});

/** Hides the number of a question from the provider. */
function masked(message: BaseMessage): BaseMessage {
  const { id, text } = message;
  return text.startsWith("question")
    ? new HumanMessage({
        content: text.replace(/question \d+/, () => "***"),
        ...(id !== undefined && { id }),
      })
    : message;
}

function added(call: number): AIMessage {
  return new AIMessage({ id: `added-${call}`, content: `added ${call}.` });
}

async function reply(): Promise<Messages> {
  return { messages: [new AIMessage({ id: "reply", content: "So it is." })] };
}

describe("a node around withCompaction", () => {
  it("adds messages to the reply, and none is dropped", async () => {
    let calls = 0;
    const { whole, messages } = await played({
      state: "MessagesAnnotation",
      node(call, given) {
        const fitted: ModelNode = withCompaction(call, options(given));
        return async (state, config) => ({
          messages: [...(await fitted(state, config)).messages, added(calls++)],
        });
      },
    });
    expect(messages.filter((message) => foldOf(message) !== undefined).length).toBeGreaterThan(0);
    expect(lines(whole).filter((line) => line.startsWith("added"))).toHaveLength(turns);
  });

  it("writes no reply where it fails after the call, and drops nothing of its error handler", async () => {
    const files = VirtualFilesystem.inMemory();
    const fitted: ModelNode = withCompaction(reply, options({ files }));
    const graph = new StateGraph(MessagesAnnotation)
      .addNode(
        "model",
        async (state, config) => {
          await fitted(state as Messages, config);
          throw new Error("The reply could not be stored.");
        },
        { errorHandler: async () => ({ messages: [added(0)] }) },
      )
      .addEdge(START, "model")
      .compile({ checkpointer: new MemorySaver() });
    const past = Array.from({ length: 30 }, (_, at) => {
      const fields = { id: `past-${at}`, content: `${at}. ${filler(250, at)}` };
      return at % 2 === 0 ? new HumanMessage(fields) : new AIMessage(fields);
    });
    await graph.invoke({ messages: past }, thread);
    const whole = await readThread(graph, thread, { files });
    expect(whole.map(({ id }) => id)).toEqual([...past.map(({ id }) => id), "added-0"]);
  });
});
