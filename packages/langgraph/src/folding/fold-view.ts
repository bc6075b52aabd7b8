import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { withIds } from "@palimpsest/context";
import { goalsOf, workspaceOf, workspaceText } from "@palimpsest/context/folding";
import { isAi, isToolResult } from "@palimpsest/context/internal";
import { compactionStateOf, contextIn, type NodeState } from "../run/node-state.js";
import { resolveFoldOptions, type FoldOptions } from "./fold-options.js";
import { requireOptions } from "../options/require-options.js";

export interface FoldViewOptions extends FoldOptions {
  /** One system message for each section, or one for all, for providers that allow no more. @default "three" */
  readonly systemMessages?: "three" | "one";
}

const next = "Take the next step toward the goal.";

/**
 * Returns a function that builds the prompt of a model call from the state: the host's system messages, `[GOAL]`,
 * `[MULTI_SCALE_STATE_SUMMARIES]`, `[LATEST_INTERACTION]`, and the user's messages since.
 *
 * For models that were trained on this form. Tool results become part of system messages, where a model may follow instructions
 * in them: with tools that read untrusted text, send the messages themselves instead.
 * @throws ContextError when an option cannot work.
 */
export function foldView(options: FoldViewOptions): (state: NodeState) => BaseMessage[] {
  requireOptions(options, "foldView");
  const resolved = resolveFoldOptions(options);
  const { systemMessages = "three" } = options;
  return function viewOf(state) {
    const messages = withIds(contextIn(state, resolved));
    const workspace = workspaceOf(messages);
    const goals = goalsOf(messages, compactionStateOf(state, resolved)?.goals);
    const { goal, summaries, latest } = workspaceText(workspace, goals);
    const own = messages.filter((message) => message.getType() === "system").map((message) => message.text);
    const sections = [goal, summaries, latest].filter((text) => text !== undefined);
    const said = workspace.latest.filter((message) => !isAi(message) && !isToolResult(message));
    const words = said.filter((message) => message.getType() !== "system");
    const system =
      systemMessages === "one"
        ? [new SystemMessage([...own, ...sections].join("\n\n"))]
        : [...own, ...sections].map((text) => new SystemMessage(text));
    return [...system, ...(words.length === 0 ? [new HumanMessage(next)] : words)];
  };
}

/** How the model gives its directives. */
export type DirectiveForm = "tool" | "text";

const head = `Your context is a workspace that you shape yourself.
Earlier steps stand as blocks, oldest first: "[S<id> steps <first>-<last>] summary". Your latest interaction stands in full.
With your reply that interaction becomes a block of its own, with an automatic summary unless you say otherwise. You can say:
- granular condensation: write the summary of that interaction yourself, with every name, number, address and quotation
  that you may need later;
- deep consolidation: merge a range of blocks, up to that interaction or between two blocks, into one summary. Do it when a
  sub-task is done, or when several steps led nowhere: then keep what was tried, why it failed, and what is left to try.
A range starts at the first step of a block and ends at the last step of one. Nothing is lost: unfold with a block's id, such
as S12, shows its originals. Never fold what you are about to use.`;

const byTool = `Say it with the tool fold_context, in the same message as your next action:
{"summary":"…"} for the interaction alone, {"range":[first step,last step],"summary":"…"} for several.
When the user changes the goal, give the new one as "goal".`;

const byText = `Say it at the end of your reply, once, with nothing else inside the tags:
<context>{"range":[first step,last step],"summary":"…"}</context>
or <context>{"fold":{"type":"granular_condensation","summary_text":"…"}}</context>
or <context>{"fold":{"type":"deep_consolidation","target":{"ids":[1,2,3]},"summary_text":"…"}}</context>
When the user states a task or changes it, write it once as <goal>the task in one sentence</goal>.`;

/** Returns the part of the system prompt that tells a model how to fold its own context. It never changes. */
export function foldPrompt(form: DirectiveForm = "tool"): string {
  return `${head}\n${form === "tool" ? byTool : byText}`;
}
