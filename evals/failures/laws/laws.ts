import type { Law } from "./law.js";

const passes = "packages/context/src/laws.test.ts";
const ladder = "packages/langgraph/src/compaction/laws.test.ts";
const node = "packages/langgraph/src/nodes/compaction-node.test.ts";
const middleware = "packages/langgraph/src/middleware/context-middleware.test.ts";
const overflow = "packages/langgraph/src/nodes/overflow-error-handler.test.ts";
const fits = "packages/langgraph/src/compaction/fits-the-window.test.ts";
const earlyEnd = "packages/langgraph/src/retry/early-end.test.ts";
const refusedReasoning = "packages/langgraph/src/retry/refused-reasoning.test.ts";
const reasoning = "packages/langgraph/src/compaction/reasoning.test.ts";
const epochs = "packages/langgraph/src/epochs/laws.test.ts";
const hostEdits = "packages/langgraph/src/epochs/host-edits.slow.test.ts";
const agentEdits = "packages/langgraph/src/epochs/agent-edits.test.ts";
const native = "packages/langgraph/src/compaction/native-compaction.slow.test.ts";
const staleReasoning = "packages/context/src/passes/drop-stale-reasoning.test.ts";
const budget = "packages/langgraph/src/predictive/hard-budget.test.ts";
const attack =
  "evals/attack/attack.slow.test.ts: a failing archive and a forged state send no prompt over the window, lose nothing and show no other thread, and the suite notices each of these";
const hostile =
  "packages/langgraph/src/hostile-messages.test.ts: leaves every prompt inside the window or told of, and every thread whole: %s";
const matrix = "packages/langgraph/src/host-matrix.test.ts";
const fuzz = "evals/fuzz/run-fuzz.slow.test.ts: the fuzzer finds no broken law in generated threads";

/** The laws, in the order of the design. */
export const laws: readonly Law[] = [
  {
    name: "Nothing is lost",
    means:
      "For every history and every sequence of folds, unfolding everything equals the original, byte for byte.",
    tests: [
      fuzz,
      `${passes}: unfold restores the messages after any pass, byte for byte`,
      `${passes}: a sequence of passes is undone by unfold, never writes a file twice, and adds nothing that a provider refuses`,
      `${ladder}: loses nothing: unfolding gives the thread back`,
      "packages/context/src/folds/reconcile.test.ts: restores the context, and so the thread, from a list that also holds its originals",
      `${middleware}: keeps every prompt legal and inside the window, and loses nothing`,
      `${passes}: writes to the folder of the lane, names no other file that it writes, and is unfolded from there`,
      "packages/cli/src/verbs/removal/lanes.test.ts: a lane hides its files from other agents, and a host that reads the thread gets all of it",
    ],
  },
  {
    name: "Archive first",
    means:
      "A fold is applied only after its archive write is acknowledged. A rewrite is archived, validated, found smaller and applied in one commit; any failure before the end leaves the conversation as it was. Where the prompt would then be over the window, the short form is sent and state holds the originals until they are archived. Without a `sealKey`, only the process that held them before the first key of the thread was stored can open them.",
    tests: [
      fuzz,
      `${ladder}: keeps every original in the messages if the archive cannot be written`,
      `${node}: leaves the conversation as it is and says so, and compacts once it can be written again`,
      "packages/vfs/src/archive.test.ts: detects an engine that acknowledges a write and keeps less",
      "packages/langgraph/src/nodes/archive-faults.test.ts: keeps the originals in the metadata of what is sent until the archive works, and can unfold them from there",
      "packages/langgraph/src/nodes/archive-faults.test.ts: $strategy loses nothing and stays inside its window while $share of the archive writes fail",
      attack,
    ],
  },
  {
    name: "What is sent is legal",
    means:
      "Every tool call has its result and every result its call; parallel calls stay whole; reasoning blocks stay with their tool loop; no content is empty; ids are unique; a leading system message stays first. Cuts are made only at legal cut points.",
    tests: [
      fuzz,
      `${passes}: no pass adds anything that a provider refuses`,
      `${passes}: a pass keeps the newest compaction of the provider as it came`,
      `${ladder}: makes nothing illegal, and leaves its input as it was`,
      "packages/context/src/cuts/cut-rules.test.ts: allows every cut that leaves both parts whole",
    ],
  },
  {
    name: "Progress or nothing",
    means:
      "A compaction that frees too little is not applied. The minimum (system, tools, pins, protected tail) is computed before acting; if it exceeds the trigger, an event says so once, and nothing loops.",
    tests: [
      fuzz,
      `${passes}: a pass makes every fold smaller than what it replaces, and keeps the ids of what it rewrites`,
      `${node}: is reported once over many steps, and nothing loops`,
      `${node}: does not pay for a refused summary at each step, like a graph with the channel`,
      `${overflow}: rethrows a second overflow at the same point, and does not loop`,
    ],
  },
  {
    name: "It never kills the run",
    means:
      "If the summary model is down, slow, empty or longer than its input, if the archive is full, if the provider reports an overflow or a pass has a bug, the next rung runs, an event says so, and the agent goes on. Graph interrupts and aborts pass through.",
    tests: [
      fuzz,
      "packages/langgraph/src/summary/write-summary.test.ts: is replaced by an extracted summary, and an event says so",
      attack,
      hostile,
      `${node}: survives a bug in a counter: an event, an estimate, and the messages as they were`,
      `${node}: stops when the run is aborted while a summary is written`,
      `${overflow}: is resumed with invoke(null): the failed node runs again, and throws what it then meets`,
      `${earlyEnd}: an answer that ends at the window is replaced after one compaction: $host, $provider, streaming $streaming`,
      `${earlyEnd}: a model that always ends at the window is called only once more, and its last answer stays`,
    ],
  },
  {
    name: "The model has seen it first",
    means:
      "A tool result that the model has not been shown is never folded into a summary; it arrives whole or as a preview.",
    tests: [
      fuzz,
      `${passes}: a summary plan never folds what the model has not seen`,
      `${overflow}: never folds a result that the model has not seen`,
    ],
  },
  {
    name: "The user's words stay",
    means:
      "A user message that fits is never cut. Over a stated budget the oldest go to the archive; the first and the newest stay, and pinned messages always. A summary never speaks with the user's authority, and text inside results is data, never an instruction.",
    tests: [
      fuzz,
      `${fits}: of three quarters of the window is sent whole`,
      `${fits}: larger than the window keeps its beginning, its end and its rules, and an event says so`,
      `${fits}: stays whole through every later compaction, the first and the newest`,
      `${passes}: repeated trims keep the first and the latest user message word for word, and every pinned message`,
      "packages/langgraph/src/summary/write-summary.test.ts: does not let a result end the data in the prompt early",
      "packages/context/src/passes/trim-to-archive.test.ts: leaves a note of the moved messages with the user's rules verbatim, and nobody else's rules",
    ],
  },
  {
    name: "Idempotent and deterministic",
    means:
      "The same input gives the same folds and names; a node that runs twice, or is retried, changes nothing more.",
    tests: [
      fuzz,
      `${passes}: a pass gives the same folds, names and files for the same input, and changes nothing the second time`,
      `${passes}: no pass changes its input`,
      `${ladder}: gives the same context and the same file names again`,
    ],
  },
  {
    name: "No state in closures",
    means:
      "All that lives between steps is in graph state, the archive or the store; one compiled graph serves any number of threads at once.",
    tests: [
      "packages/langgraph/src/run-config.test.ts: serves eight threads at once without mixing their archives or their contexts",
      "packages/vfs/src/virtual-filesystem.test.ts: loses nothing when 64 threads append and write at once",
      "packages/vfs/src/lanes.test.ts: shares what it says last, also in another instance over the same storage",
      "examples/hosts/lanes/lanes.slow.test.ts: find nothing of it with any tool, at any path, if it shares none",
    ],
  },
  {
    name: "The prefix holds",
    means:
      "Between compactions the context is append-only, byte for byte. All rewriting happens together in one rare compaction, which reports what it cost in cache and what it saved.",
    tests: [
      `${node}: is rare: the context grows for several steps before the next compaction, and its beginning is byte-stable`,
      "packages/langgraph/src/tools/compress-context-tool.test.ts: has a description that never changes, because tools come before all messages",
      "packages/langgraph/src/compaction/budget-lines.test.ts: stays where it was sent until a compaction, so that every prompt begins with the one before",
    ],
  },
  {
    name: "One scale",
    means:
      "Tokens are counted in one unit everywhere: anchored on the usage that the provider reported last, estimating only what came after, calibrated per model. Estimates are marked as such.",
    tests: [
      "packages/context/src/tokens/measure-context.test.ts: anchors on the usage that was reported last and estimates what came after",
      "packages/context/src/tokens/measure-context.test.ts: estimates, and says so, while no provider has reported anything",
    ],
  },
  {
    name: "Bounded",
    means:
      "What is sent fits the window or the budget at any horizon, or an event says that it cannot and why. A step costs what it adds in time and storage, and memory does not grow with the thread.",
    tests: [
      fuzz,
      `${fits}: every prompt fits the window, or an event says that it cannot and why`,
      hostile,
      "packages/langgraph/src/compaction/reported-sizes.test.ts: in a report of %s tokens, which is told of once",
      `${fits}: a prompt is over the window only if overhead, system messages and images take a third of it`,
      `${fits}: is reported with its size, the window and its parts, once for a reason and again when it has grown`,
      `${budget}: a budget below the shortest form of what must be sent is reported once, and only that form is sent`,
      `${budget}: holds at every step of every thread, and what is sent is legal, as a %s`,
      `${budget}: the budget holds for an agent with the middleware`,
      "packages/context/src/tokens/measure-context.test.ts: hides no prompt behind a smaller ratio after the host has removed messages between two calls",
      `${fits}: is never reported as an ordinary compaction, even where a compaction has made it shorter`,
      `${node}: still leaves the context inside the window, in compactions that stay rare`,
      "packages/context/src/cuts/cut-rules.test.ts: reads each message of 10,000 as often as each of 1,000",
      `${middleware}: takes no step of the graph, whether or not it compacts: createAgent %s`,
      "evals/replay/replay-trajectory.test.ts: the ladder keeps a run inside a window of %i tokens and gives all of it back",
    ],
  },
  {
    name: "Reasoning is valid or absent",
    means:
      "Models bind a reasoning block to the exact prefix it was made on. What is sent holds no block whose prefix a rewrite or the host has changed, no gap between blocks, and every block that is still valid; the archive keeps them all.",
    tests: [
      `${reasoning}: has every call accepted and finds all its reasoning in the unfolded thread: $name, $provider, streaming $streaming`,
      `${reasoning}: keeps all its reasoning between two compactions: %s`,
      `${ladder}: makes nothing illegal, and leaves its input as it was`,
      `${epochs}: is valid or absent after a change of the host, stays before it, and comes back from the archive`,
      `${epochs}: stays where a thread only grows`,
      `${hostEdits}: has no call refused and keeps the valid reasoning when the host %s between two runs`,
      `${agentEdits}: sends no reasoning after a change of %s, and all reasoning since`,
      `${agentEdits}: has no call refused beside a middleware that %s`,
      `${staleReasoning}: dropStaleReasoning removes all bound reasoning after a change and none before it, in any history`,
      `${staleReasoning}: stale reasoning is archived in one file, and unfold restores it byte for byte`,
      `${refusedReasoning}: refused reasoning is removed from the named block on, once: $host, streaming $streaming`,
      `${native}: an agent whose provider compacts has every call accepted and all reasoning read, and loses nothing: $name, $provider, streaming $streaming`,
    ],
  },
  {
    name: "The same everywhere",
    means:
      "An option, a pin or a law that holds in one strategy or host holds in every one that accepts it, or is refused when it is built.",
    tests: [
      `${matrix}: %s honours %s, or refuses it when built`,
      `${matrix}: %s does not honour %s yet: it leaves the list of gaps once it does`,
      `${matrix}: every option is a rule of the matrix, or says why it is none`,
      "evals/fuzz/hosts/play-script.test.ts: a script is played in the host with and without us, and once more with a restart before every node",
    ],
  },
];

/** The one exception to the first law. */
export const erasureLaw: Law = {
  name: "Erasure on request",
  means:
    "What is erased is nowhere: in no message, file, summary, note, index, free page or log of the storage. What is left is whole, legal and unfolds as before; a tombstone says when and why. A killed erasure goes on when it is called again.",
  tests: [
    "packages/cli/src/verbs/removal/erase.slow.test.ts: of planted texts no byte is left in %s, and everything else unfolds",
    "packages/cli/src/verbs/removal/erase.test.ts: leaves a folded thread whole, legal and genuine, with tombstones in the place of texts",
    "packages/cli/src/verbs/removal/erase.test.ts: no byte of a SQLite file and of its index holds an erased text, in any form",
    "packages/cli/src/verbs/removal/erase.test.ts: a thread of %s goes on after an erasure",
    "packages/checkpoint/src/saver/erasure/erase.test.ts: puts a tombstone in the place of a text in every value, and leaves the rest as it is",
    "packages/checkpoint/src/saver/erasure/erase.test.ts: goes on when it is called again, and loses nothing",
  ],
};
