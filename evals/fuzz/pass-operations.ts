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
import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { keepArbitrary, pinArbitrary } from "./option-arbitraries.js";
import { contextOf, type Operation } from "./operation.js";

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

function operation(
  name: string,
  options: object,
  pass: (messages: readonly BaseMessage[]) => Rewrite,
): Operation {
  return {
    name: `pass ${name} ${JSON.stringify(options)}`,
    async run(state, world) {
      const context = contextOf(state, world);
      const { messages, writes } = dropStaleReasoning(context, pass(context), tokenCounter);
      if (tokenCounter(messages) > tokenCounter(context)) return state;
      const { archive } = world.files.thread(world.threadId);
      try {
        for (const { path, content } of writes) await archive.append(path, content);
      } catch {
        return state;
      }
      return world.view ? { ...state, context: messages } : { ...state, messages };
    },
  };
}
