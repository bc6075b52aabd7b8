import {
  InMemoryStore,
  MemorySaver,
  StateGraph,
  START,
  MessagesAnnotation,
  Annotation,
} from "@langchain/langgraph";
import { HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { migrateThread, StoreDriver, VfsSaver } from "@palimpsest/checkpoint";
import * as nodes from "@palimpsest/langgraph";
import {
  contextMiddleware,
  foldMiddleware,
  predictiveContextMiddleware,
} from "@palimpsest/langgraph/middleware";
import { compactThread, previewThread, readThread, unfoldThread } from "@palimpsest/langgraph/threads";
import { RecallIndex } from "@palimpsest/recall";
import { DirectoryDriver, MemoryDriver, VirtualFilesystem } from "@palimpsest/vfs";
import { createDeepAgent } from "deepagents";
import { createAgent } from "langchain";
import { tmpdir } from "node:os";

/** What the mistakes are made with. */
const files = VirtualFilesystem.inMemory();
const saver = VfsSaver.inMemory();
const index = RecallIndex.inMemory();
const model = new FakeListChatModel({ responses: ["Hello."] });
const contextWindow = 100_000;
const good = { files, contextWindow };
const thread = { configurable: { thread_id: "t1" } };

/** Runs a graph of one node, in which each mistake about channels shows at the first step. */
async function run(node: nodes.GraphNode): Promise<unknown> {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("compact", node as never)
    .addEdge(START, "compact")
    .compile();
  return graph.invoke({ messages: [new HumanMessage("Hello")] }, thread);
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", () => ({}))
  .addEdge(START, "model")
  .compile({ checkpointer: new MemorySaver() });

/** Somebody's own channels: the thread is under `talk`. */
const Talk = Annotation.Root({ talk: MessagesAnnotation.spec.messages });

async function talk(node: nodes.GraphNode): Promise<unknown> {
  const own = new StateGraph(Talk)
    .addNode("compact", node as never, { input: nodes.contextInput })
    .addEdge(START, "compact")
    .compile();
  return own.invoke({ talk: [new HumanMessage("Hello")] }, thread);
}

/** JavaScript takes any value: these leave the types out on purpose. */
const any = nodes as unknown as Record<string, (...args: unknown[]) => unknown>;
const call =
  (name: string, ...args: unknown[]) =>
  async () =>
    any[name]?.(...args);
const option = (options: object) => call("compactionNode", { ...good, ...options });
const js = (value: unknown) => value as never;

/** Natural mistakes, by what somebody does. */
export const mistakes = {
  "a letter is missing in a name": option({ triger: { tokens: 1 } }),
  "two letters are exchanged": option({ onEvnet() {} }),
  "a name is written in snake_case": option({ context_window: 1 }),
  "a name comes from LangChain's older options": option({ maxTokensBeforeSummary: 4_000 }),
  "messagesToKeep comes from there too": option({ messagesToKeep: 20 }),
  "a backend is passed, as Deep Agents call it": option({ backend: files }),
  "llm stands for the model": option({ llm: {} }),
  "a threshold stands for the trigger": option({ threshold: 0.8 }),
  "a name is like no option": option({ zebra: 1 }),
  "the model is a name": option({ model: "gpt-5" }),
  "the model is an object of options": option({ model: { model: "gpt-5" } }),
  "the model is a promise": option({ model: Promise.resolve({}) }),
  "the summary model is a name": option({ summaryModel: "haiku" }),
  "onError has a value that there is not": option({ onError: "ignore" }),
  "summaryMode has become a value of summaryModel": option({ summaryMode: "native" }),
  "the limit of offloads stands outside limits": option({ offloadTokens: 5_000 }),
  "a limit is misspelt": option({ limits: { ofload: 5_000 } }),
  "the window is a text": option({ contextWindow: "100000" }),
  "the window is negative": option({ contextWindow: -1 }),
  "the window is in thousands of tokens": option({ contextWindow: 128 }),
  "the trigger is a number": option({ trigger: 0.85 }),
  "the trigger is in per cent": option({ trigger: { fraction: 85 } }),
  "the trigger has a unit that there is not": option({ trigger: { token: 5_000 } }),
  "the second trigger of a list has a text": option({ trigger: [{ tokens: 5_000 }, { messages: "30" }] }),
  "the keep is a number": option({ keep: 20 }),
  "the keep has two units": option({ keep: { tokens: 10, messages: 2 } }),
  "the keep is larger than the trigger": option({ keep: { tokens: 99_000 } }),
  "the names of tools are one text": option({ pinTools: "read_file" }),
  "the pinned files are one text": option({ pinFiles: "AGENTS.md" }),
  "pin is a list": option({ pin: ["m1"] }),
  "a flag is a text": option({ agentControlled: "yes" }),
  "the token counter is the name of one": option({ tokenCounter: "o200k" }),
  "the budget is a text": option({ budgetLevel: "fallback" }),
  "the input key is empty": option({ inputKey: "" }),
  "the planner is a flag": option({ planner: true }),
  "the planner has no prices": option({ planner: {} }),
  "the window is unknown": call("compactionNode", { files }),
  "there are no options": call("compactionNode"),
  "the options are the filesystem": call("compactionNode", files),
  "the node is passed uncalled": call("compactionNode", { messages: [] }),
  "the filesystem is missing": call("compactionNode", { contextWindow }),
  "the files are a saver": call("compactionNode", { contextWindow, files: saver }),
  "the files are a driver": call("compactionNode", { contextWindow, files: new MemoryDriver() }),
  "the files are a path": call("compactionNode", { contextWindow, files: ".agent" }),
  "fileTools get no options": call("fileTools"),
  "fileTools get the filesystem itself": call("fileTools", files),
  "the results of tools have no room": call("fileTools", { files, resultCharacters: 0 }),
  "search_history has no index": call("searchHistoryTool", { files }),
  "the index is a promise": call("searchHistoryTool", { files, index: Promise.resolve(index) }),
  "a condition has a wrong route": call("compactionCondition", { ...good, goto: "compact" }),
  "a safety net gets a trigger": call("safetyNetCondition", { ...good, trigger: { fraction: 0.9 } }),
  "overflowCondition has no other route": call("overflowCondition", { ...good, otherwise: "tools" }),
  "a fold mode is wrong": call("foldNode", { ...good, condense: "always" }),
  "a policy is wrong": call("predictiveContextNode", { ...good, policy: "smart" }),
  "a middleware gets an input key": async () => contextMiddleware(js({ ...good, inputKey: "messages" })),
  "a middleware gets no options": async () => contextMiddleware(js(undefined)),
  "foldMiddleware gets a wrong name": async () => foldMiddleware(js({ ...good, microtoken: 5 })),
  "predictiveContextMiddleware gets a wrong name": async () =>
    predictiveContextMiddleware(js({ ...good, budgets: 5 })),
  "a deep agent gets the middleware without its host": async () =>
    createDeepAgent({ model, middleware: [contextMiddleware(good)] }).invoke({ messages: "Hello" }, thread),
  "an agent has file tools twice": async () =>
    createAgent({
      model,
      tools: nodes.fileTools({ files }),
      middleware: [contextMiddleware(good)],
    }).invoke({ messages: "Hello" }, thread),
  "the namespace of files is empty": async () => new StoreDriver(new InMemoryStore(), { namespace: [] }),
  "the files of each user are those of the saver": async () =>
    VfsSaver.wrap(new MemorySaver(), {
      blobs: new StoreDriver(new InMemoryStore(), { namespace: ({ context }) => ["user", context.id] }),
    }),
  "the input key is misspelt": async () => run(nodes.compactionNode({ ...good, inputKey: "mesages" })),
  "the output key is no channel": async () => run(nodes.compactionNode({ ...good, outputKey: "context" })),
  "a node's input leaves the thread out": async () =>
    talk(nodes.compactionNode({ ...good, inputKey: "talk" })),
  "the token counter returns text": async () =>
    run(nodes.compactionNode({ ...good, tokenCounter: () => js("12") })),
  "a thread is read without options": async () => readThread(graph, thread, js(undefined)),
  "a thread is read without an id": async () => readThread(graph, { configurable: {} }, { files }),
  "a thread is read without a graph": async () => readThread(js(undefined), thread, { files }),
  "a strategy is misspelt": async () => compactThread(graph, thread, { ...good, strategy: js("summarise") }),
  "a preview has a wrong name": async () => previewThread(graph, thread, js({ ...good, contextwindows: 1 })),
  "a fold is named by a number": async () => unfoldThread(graph, thread, { ...good, fold: js(3) }),
  "a saver is pruned without options": async () => saver.prune("t1", js(undefined)),
  "a saver is wrapped without blobs": async () => VfsSaver.wrap(new MemorySaver(), js(undefined)),
  "a saver's option is misspelt": async () => VfsSaver.fromPath(":memory:", js({ compres: true })),
  "the url of Postgres is missing": async () => VfsSaver.fromPostgres(js(undefined)),
  "the url of Postgres is none": async () => VfsSaver.fromPostgres("localhost:5432"),
  "a pool of Postgres is one connection": async () =>
    VfsSaver.fromPostgres({ query: String, connect: String }),
  "a saver on Postgres is not awaited": async () => {
    const opening = VfsSaver.fromPostgres("nothing");
    opening.catch(() => undefined);
    return (opening as unknown as VfsSaver).getTuple(thread);
  },
  "a wrapped saver is a promise": async () =>
    VfsSaver.wrap(js(Promise.resolve()), { blobs: new DirectoryDriver(tmpdir()) }),
  "an index is searched without a thread": async () => index.search("x", js(undefined)),
  "the folder of an index is not there": async () => RecallIndex.fromPath("/no/such/folder/agent.db"),
  "the url of an index is none": async () => RecallIndex.fromPostgres("localhost"),
  "a path of an index is a url": async () => RecallIndex.fromPath("postgres://me:secret@localhost/agents"),
  "an option of an index is misspelt": async () => RecallIndex.inMemory(js({ embedding: {} })),
  "the embeddings are a name": async () => RecallIndex.inMemory(js({ embeddings: "text-embedding-3-small" })),
  "the embeddings are a class": async () => RecallIndex.inMemory(js({ embeddings: RecallIndex })),
  "the vector store is a promise": async () => RecallIndex.inMemory(js({ vectorStore: Promise.resolve() })),
  "a saver is made with new": async () => new VfsSaver(js("agent.db")),
  "a path of a saver is a url": async () => VfsSaver.fromPath("postgres://me:secret@localhost/agents"),
  "a saver reads a thread by its id alone": async () => saver.readThread(js("t1")).next(),
  "unfold is a flag": async () => saver.readThread(thread, { unfold: js(true) }).next(),
  "a thread is copied without a target": async () => saver.copyThread("t1", js(undefined)),
  "a thread is migrated with positions": async () => migrateThread(js(saver)),
  "a filesystem is made with new": async () => new VirtualFilesystem(js(".agent")),
} as const satisfies Readonly<Record<string, () => unknown>>;
