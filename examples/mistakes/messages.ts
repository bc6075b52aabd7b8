import type { mistakes } from "./mistakes.js";

/** What each mistake is answered with: the value, and the way out. `…` stands for the rest of a list. */
export const messages: Readonly<Record<keyof typeof mistakes, string>> = {
  "a letter is missing in a name": "triger is not an option of compactionNode: did you mean trigger?",
  "two letters are exchanged": "onEvnet is not an option of compactionNode: did you mean onEvent?",
  "a name is written in snake_case":
    "context_window is not an option of compactionNode: did you mean contextWindow?",
  "a name comes from LangChain's older options":
    "maxTokensBeforeSummary is not an option of compactionNode: did you mean trigger: { tokens }?",
  "messagesToKeep comes from there too":
    "messagesToKeep is not an option of compactionNode: did you mean keep: { messages }?",
  "a backend is passed, as Deep Agents call it":
    "backend is not an option of compactionNode: did you mean files?",
  "llm stands for the model": "llm is not an option of compactionNode: did you mean model?",
  "a threshold stands for the trigger": "threshold is not an option of compactionNode: did you mean trigger?",
  "a name is like no option": "zebra is not an option of compactionNode: it takes files, model, …",
  "the model is a name": 'model is "gpt-5": pass the chat model itself, such as await initChatModel("gpt-5")',
  "the model is an object of options":
    'model is {"model":"gpt-5"}: pass a chat model of LangChain, such as new ChatOpenAI({ model })',
  "the model is a promise": "model is a Promise: await it",
  "the summary model is a name":
    'summaryModel is "haiku": pass the chat model itself, such as await initChatModel("haiku")',
  "onError has a value that there is not": 'onError is "ignore": use "continue" or "throw"',
  "summaryMode has become a value of summaryModel":
    'summaryMode is not an option of compactionNode: did you mean summaryModel: "native"?',
  "the limit of offloads stands outside limits":
    "offloadTokens is not an option of compactionNode: did you mean limits: { offload }?",
  "a limit is misspelt": "limits.ofload is not an option: did you mean offload?",
  "the window is a text": 'contextWindow is "100000": use a number',
  "the window is negative": "contextWindow is -1: use a number above 0",
  "the window is in thousands of tokens": "contextWindow is 128: it is in tokens, 128000 for 128k",
  "the trigger is a number":
    "trigger is 0.85: use an object with a unit, such as { tokens: 10_000 } or { messages: 20 }",
  "the trigger is in per cent": "trigger.fraction is 85: use a share of the window above 0 and at most 1",
  "the trigger has a unit that there is not": "trigger.token is not an option: did you mean tokens?",
  "the second trigger of a list has a text": 'trigger[1].messages is "30": use a number',
  "the keep is a number":
    "keep is 20: use an object with a unit, such as { tokens: 10_000 } or { messages: 20 }",
  "the keep has two units":
    'keep is {"tokens":10,"messages":2}: give exactly one of fraction, tokens, messages, turns',
  "the keep is larger than the trigger":
    "keep is 99000 tokens with a trigger at 85000 tokens: keep less than the trigger, or compaction could never free anything",
  "the names of tools are one text": 'pinTools is "read_file": use a list of strings: ["read_file"]',
  "the pinned files are one text": 'pinFiles is "AGENTS.md": use a list of strings: ["AGENTS.md"]',
  "pin is a list": 'pin is ["m1"]: pass a function: (message) => boolean',
  "a flag is a text": 'agentControlled is "yes": use true or false',
  "the token counter is the name of one":
    'tokenCounter is "o200k": pass a function: (messages) => number, or a promise of one',
  "the budget is a text":
    'budgetLevel is "fallback": pass a function: (config) => "normal", "fallback" or "exhausted"',
  "the input key is empty": 'inputKey is "": use the name of a state key, such as "messages"',
  "the planner is a flag":
    'planner is true: use an object with what a token costs: { prices: { input, cachedInput, output } }, or { cache: "typical" }',
  "the planner has no prices":
    'planner is {}: use an object with what a token costs: { prices: { input, cachedInput, output } }, or { cache: "typical" }',
  "the window is unknown":
    "trigger.fraction is 0.85 of an unknown context window: pass contextWindow (tokens), a model whose profile has maxInputTokens, or a trigger in tokens",
  "there are no options":
    "The options of compactionNode are undefined: pass an object, as in compactionNode({ files })",
  "the options are the filesystem":
    "The options of compactionNode are a VirtualFilesystem: pass an object, as in compactionNode({ files })",
  "the node is passed uncalled":
    "compactionNode was called with the state of a graph: give the graph what it returns, as in compactionNode({ files })",
  "the filesystem is missing":
    'files is undefined: pass a VirtualFilesystem, such as VirtualFilesystem.fromDirectory(".agent")',
  "the files are a saver": "files is a VfsSaver: pass its files, saver.files",
  "the files are a driver": "files is a MemoryDriver: pass new VirtualFilesystem({ driver })",
  "the files are a path":
    'files is ".agent": pass a VirtualFilesystem, such as VirtualFilesystem.fromDirectory(".agent")',
  "fileTools get no options":
    "The options of fileTools are undefined: pass an object, as in fileTools({ files })",
  "fileTools get the filesystem itself":
    "The options of fileTools are a VirtualFilesystem: pass an object, as in fileTools({ files })",
  "the results of tools have no room": "resultCharacters is 0: use a number above 0",
  "search_history has no index":
    'index is undefined: pass a RecallIndex, such as RecallIndex.fromPath("agent.recall.db")',
  "the index is a promise": "index is a Promise: await it",
  "a condition has a wrong route": "goto is not an option of compactionCondition: it takes files, model, …",
  "a safety net gets a trigger": "trigger is not an option of safetyNetCondition: did you mean threshold?",
  "overflowCondition has no other route":
    'otherwise is "tools": pass a function: (state) => string, such as toolsCondition',
  "a fold mode is wrong": 'condense is "always": use "every-step" or "on-directive"',
  "a policy is wrong": 'policy is "smart": use "reuse" or "pace"',
  "a middleware gets an input key":
    "inputKey is not an option of contextMiddleware: it takes files, model, …",
  "a middleware gets no options":
    "The options of contextMiddleware are undefined: pass an object, as in contextMiddleware({ files })",
  "foldMiddleware gets a wrong name":
    "microtoken is not an option of foldMiddleware: did you mean microTokens?",
  "predictiveContextMiddleware gets a wrong name":
    "budgets is not an option of predictiveContextMiddleware: did you mean budget?",
  "a deep agent gets the middleware without its host":
    'This agent has tools of its own named ls, read_file, write_file, edit_file, glob, grep: pass host: "deepagents" to contextMiddleware in a deep agent, …',
  "an agent has file tools twice":
    "This agent has tools of its own named ls, read_file, write_file, edit_file, delete_file, glob, grep: …",
  "the namespace of files is empty": "namespace is []: each of its names must be a text, …",
  "the files of each user are those of the saver": "The namespace of this driver depends on the run, …",
  "the input key is misspelt":
    'inputKey is "mesages", which is not a channel of this graph. This node sees messages: did you mean messages.',
  "the output key is no channel":
    'outputKey is "context", which is not a channel of this graph. This node sees messages: name one of them, add the channel to the state, or pass contextInputFor({ inputKey, outputKey }) as the node\'s input.',
  "a node's input leaves the thread out":
    'inputKey is "talk", which is not in the input of this node: addNode(name, node, { input: contextInputFor({ inputKey: "talk" }) }).',
  "the token counter returns text": 'tokenCounter returned "12": return the number of tokens',
  "a thread is read without options":
    "The options of readThread are undefined: pass an object, as in readThread(graph, config, { files })",
  "a thread is read without an id":
    "The thread_id of the config is undefined: pass { configurable: { thread_id } }",
  "a thread is read without a graph": "graph is undefined: pass the compiled graph, for an agent agent.graph",
  "a strategy is misspelt": 'strategy is "summarise": use "summarize" or "archive"',
  "a preview has a wrong name":
    "contextwindows is not an option of previewThread: did you mean contextWindow?",
  "a fold is named by a number": "fold is 3: use a string",
  "a saver is pruned without options": "keepLast is 0. Pass { keepLast } with a whole number of at least 1.",
  "a saver is wrapped without blobs":
    'blobs is undefined: pass a driver that stores contents, such as { blobs: new DirectoryDriver(".agent") }.',
  "a saver's option is misspelt": "compres is not an option: the options are compress, mounts, …",
  "the url of Postgres is missing":
    "The url of the database is undefined: pass postgres://user:password@host:5432/database, the options of a pool of pg, or a pg.Pool.",
  "the url of Postgres is none":
    'The url of the database is "localhost:5432": pass postgres://user:password@host:5432/database, the options of a pool of pg, or a pg.Pool.',
  "a pool of Postgres is one connection":
    "The database is one connection: pass a pg.Pool, which replaces a lost one.",
  "a saver on Postgres is not awaited":
    "VfsSaver.fromPostgres returns a promise: await it before you pass it on.",
  "a wrapped saver is a promise": "The saver to wrap is a Promise: await it.",
  "an index is searched without a thread":
    "The thread to search is undefined: call search(query, { thread }).",
  "the folder of an index is not there": "The folder /no/such/folder of the index does not exist: create it.",
  "the url of an index is none":
    'The url of the database is "localhost": pass postgres://user:password@host:5432/database, the options of a pool of pg, or a pg.Pool.',
  "a path of an index is a url":
    "The path of the index is the url of a Postgres database: await RecallIndex.fromPostgres(url).",
  "an option of an index is misspelt": "embedding is not an option: the options are embeddings, …",
  "the embeddings are a name":
    'embeddings is "text-embedding-3-small": give an object of LangChain with embedDocuments and embedQuery.',
  "the embeddings are a class":
    "embeddings is a function without embedDocuments: give an object of LangChain with embedDocuments and embedQuery.",
  "the vector store is a promise": "vectorStore is a Promise: await it.",
  "a saver is made with new":
    "new VfsSaver takes an engine and a driver: call VfsSaver.fromPath(path), VfsSaver.inMemory() or await VfsSaver.fromPostgres(url).",
  "a path of a saver is a url":
    "The path of a database is the url of a Postgres database: await VfsSaver.fromPostgres(url).",
  "a saver reads a thread by its id alone":
    "configurable.thread_id is undefined. Pass a thread_id that is a string and not empty.",
  "unfold is a flag": "unfold is true: pass the function unfold of @palimpsest/context.",
  "a thread is copied without a target":
    "to is undefined: call copyThread(from, to) with two ids of threads.",
  "a thread is migrated with positions":
    "migrateThread needs two savers and the id of a thread: call migrateThread({ from, to, threadId }).",
  "a filesystem is made with new":
    "new VirtualFilesystem takes a driver: call VirtualFilesystem.fromDirectory(directory) or VirtualFilesystem.inMemory(), or pass { driver }.",
};
