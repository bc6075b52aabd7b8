import {
  applySummary,
  dropStaleReads,
  dropStaleReasoning,
  estimateTokens,
  findCutoff,
  maskToolResults,
  offloadLargeToolResults,
  offloadLargeUserMessages,
  planSummary,
  trimToArchive,
  truncateToolInputs,
  type Rewrite,
} from "@palimpsest/context";
import { unchanged } from "@palimpsest/context/internal";
import { sealFolds } from "@palimpsest/langgraph/threads";
import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { keepArbitrary, pinArbitrary } from "./option-arbitraries.js";
import { contextOf, type FuzzWorld, type Operation } from "./operation.js";

const tokenCounter = estimateTokens;
const plan = fc.record({
  keep: keepArbitrary,
  pin: pinArbitrary,
  userTokens: fc.constantFrom(0, 50, 20_000),
  text: fc.constantFrom("", "## Findings\n- $& is a dollar", "Prose."),
});

/** The passes, each applied by hand as the edge does it: when it makes the context smaller and is archived. */
export const passOperations: readonly fc.Arbitrary<Operation>[] = [
  fc
    .record({ offloadTokens: fc.constantFrom(20, 200), batchTokens: fc.constantFrom(30, 300, Infinity) })
    .map((options) => operation("offload", options, (list) => offloadLargeToolResults(list, options))),
  fc
    .record({ maxTokens: fc.constantFrom(20, 200) })
    .map((options) => operation("offload user", options, (list) => offloadLargeUserMessages(list, options))),
  fc
    .record({ inputCharacters: fc.constantFrom(100, 1_000), pin: pinArbitrary })
    .map((options) => operation("input", options, (list) => truncateToolInputs(list, options))),
  fc
    .record({ keepSteps: fc.integer({ min: 0, max: 4 }), pin: pinArbitrary })
    .map((options) => operation("mask", options, (list) => maskToolResults(list, options))),
  fc
    .record({ pin: pinArbitrary })
    .map((options) => operation("stale", options, (list) => dropStaleReads(list, options))),
  plan.map((options) =>
    operation("summary", options, (list) => {
      const made = planSummary(list, { ...options, cut: findCutoff(list, { ...options, tokenCounter }) });
      return made === undefined ? unchanged(list) : applySummary(made, { ...options, tokenCounter });
    }),
  ),
  plan.map((options) =>
    operation("trim", options, (list) => {
      const made = planSummary(list, { ...options, cut: findCutoff(list, { ...options, tokenCounter }) });
      return made === undefined ? unchanged(list) : trimToArchive(made, { tokenCounter });
    }),
  ),
];

/** Archives a rewrite and seals its folds; undefined when the storage fails. */
async function committed(
  rewrite: Rewrite,
  { files, threadId }: FuzzWorld,
): Promise<readonly BaseMessage[] | undefined> {
  const { archive } = files.thread(threadId);
  try {
    for (const { path, content } of rewrite.writes) await archive.append(path, content);
    return (await sealFolds(rewrite, files.seal(threadId))).messages;
  } catch {
    return undefined;
  }
}

function operation(
  name: string,
  options: object,
  pass: (messages: readonly BaseMessage[]) => Rewrite,
): Operation {
  return {
    name: `pass ${name} ${JSON.stringify(options)}`,
    async run(state, world) {
      const context = contextOf(state, world);
      const rewrite = dropStaleReasoning(context, pass(context), { tokenCounter });
      if (tokenCounter(rewrite.messages) > tokenCounter(context)) return state;
      const messages = await committed(rewrite, world);
      if (messages === undefined) return state;
      return world.view ? { ...state, context: messages } : { ...state, messages };
    },
  };
}
