import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import {
  directiveIn,
  foldContextName,
  resolveTarget,
  textCounter,
  workspaceOf,
} from "@palimpsest/context/folding";
import { isAi, once } from "@palimpsest/context/internal";
import { z } from "zod";
import { contextIn, type NodeState } from "../run/node-state.js";
import type { NodeConfig } from "../run-config.js";
import { resolveFoldOptions, type FoldOptions, type ResolvedFoldOptions } from "./fold-options.js";
import { refusalOf } from "./refusal-of.js";
import { requireOptions } from "../options/require-options.js";

const schema = once(() =>
  z.object({
    summary: z
      .string()
      .trim()
      .min(1)
      .describe("What replaces the folded steps: what was found, with names and numbers."),
    range: z
      .array(z.number().int().min(1))
      .min(1)
      .max(2)
      .optional()
      .describe("First and last step to fold into one block. Leave out for the latest interaction alone."),
    ids: z
      .array(z.number().int().min(1))
      .min(1)
      .optional()
      .describe("Instead of range: ids of neighbouring blocks."),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("How sure you are that these details are not needed again, 0 to 1. Leave out if you are."),
    goal: z.string().optional().describe("The goal from now on, when the user has changed it."),
  }),
);

/**
 * Returns the `fold_context` tool, by which the model directs how its past is folded. The model may call it beside other tools;
 * the fold node follows the directive before the next model call.
 *
 * The result says what will be folded, or why nothing is and what could be. Never throws at the agent.
 * @throws ContextError when an option cannot work.
 */
export function foldContextTool(options: FoldOptions): DynamicStructuredTool {
  requireOptions(options, "foldContextTool");
  const resolved = resolveFoldOptions(options);
  return foldContextToolFor(() => resolved);
}

/** Returns the tool for options that depend on the state. Without options it leaves the check to the node. */
export function foldContextToolFor(
  optionsOf: (state: NodeState) => ResolvedFoldOptions | undefined,
): DynamicStructuredTool {
  function foldContext(_: unknown, runtime: NodeConfig & { readonly state?: NodeState | null }): string {
    const state = runtime.state ?? {};
    const resolved = optionsOf(state);
    if (resolved === undefined) return "Noted: it is followed before your next step.";
    const count = textCounter(resolved.tokenCounter);
    const messages = contextIn(state, resolved);
    const { past, latest } = workspaceOf(messages);
    const directive = directiveIn(latest.find((message) => isAi(message)));
    // Outside a graph, or with a state of another form, only the node can check the directive.
    if (directive === undefined) return "Noted: it is followed before your next step.";
    const refusal = refusalOf(directive, past, { options: resolved, count });
    if (refusal !== undefined || !("directive" in directive)) {
      return `Not folded as you asked: ${refusal} The latest interaction is folded on its own.`;
    }
    const { target } = directive.directive;
    const run = target === undefined ? undefined : resolveTarget(past, target);
    const [first, last] = run && "from" in run ? [past[run.from], past[run.to]] : [past.at(-1), past.at(-1)];
    return `Steps ${first?.startStep}-${last?.endStep} become one block before your next step.`;
  }
  return tool(foldContext as never, {
    name: foldContextName,
    description:
      "Folds earlier steps of your context into one summary that you write. The originals stay in the archive. " +
      "Fold the latest interaction alone to keep what it found, or a range once a sub-task is done or has failed.",
    schema: schema(),
  }) as DynamicStructuredTool;
}
