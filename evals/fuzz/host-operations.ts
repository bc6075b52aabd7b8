import { HumanMessage } from "@langchain/core/messages";
import { addedIllegalities, staleReasoning } from "@palimpsest/context/testing";
import { compactionNode, type CompactionState, type ContextEvent } from "@palimpsest/langgraph";
import * as fc from "fast-check";
import { unwrapped } from "./node-operations.js";
import type { FuzzState, FuzzWorld, Operation } from "./operation.js";

/** A window in which nothing is due: only the host changes what was sent. */
const contextWindow = 100_000_000;

/** A host that changes the context between two calls of the model, and takes its change back afterwards. */
export const hostOperations: readonly fc.Arbitrary<Operation>[] = [
  fc
    .record({ edit: fc.constantFrom("edit", "remove", "insert"), seed: fc.nat({ max: 1_000 }) })
    .map(({ edit, seed }) => ({
      name: `host ${edit} ${seed}`,
      async run(state: FuzzState, world: FuzzWorld) {
        if (world.view || !world.channel || state.messages.length === 0) return state;
        const sent = await runNode(state, world);
        const index = seed % sent.messages.length;
        const other = new HumanMessage({ id: `host-${seed}`, content: "Other words" });
        const removed = edit === "insert" ? 0 : 1;
        const added = edit === "remove" ? [] : [other];
        const messages = sent.messages.toSpliced(index, removed, ...added);
        const next = await runNode({ ...sent, messages }, world);
        // An archive that fails keeps stale reasoning in the context, before the change as well as after it; events say so.
        const isArchived = !sent.hasFailed && !next.hasFailed;
        const stale = isArchived ? staleReasoning(sent.messages, next.messages) : [];
        if (stale.length > 0) {
          throw new Error(`law 13: the reasoning of ${stale.join(", ")} stayed behind a change of the host`);
        }
        const illegal = addedIllegalities(messages, next.messages);
        if (illegal.length > 0) throw new Error(`law 3: ${illegal.join(", ")}, after a change of the host`);
        const original = sent.messages.slice(index, index + removed);
        const restored = next.messages.toSpliced(index, added.length, ...original);
        // A reply that comes back behind one that lost its reasoning meanwhile is the host's fault: it returns to its checkpoint.
        if (addedIllegalities(sent.messages, restored).length > 0) return sent;
        return runNode({ ...next, messages: restored }, world);
      },
    })),
];

async function runNode(
  state: FuzzState,
  { files, threadId }: FuzzWorld,
): Promise<FuzzState & { readonly hasFailed: boolean }> {
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => void events.push(event);
  const node = compactionNode({ files, contextWindow, limits: { offload: contextWindow }, onEvent });
  const { compaction, ...changed } = unwrapped(await node(state, { configurable: { thread_id: threadId } }));
  const merged: CompactionState = { ...(state.compaction as CompactionState), ...compaction };
  const hasFailed = events.some(({ type }) => type === "context.fail");
  return { ...state, ...changed, compaction: merged, hasFailed };
}
