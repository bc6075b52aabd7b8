import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { goalsOf, isAi, isToolResult, withIds, workspaceOf, workspaceText } from "@palimpsest/context";
import { compactionStateOf, messagesOf, type NodeState } from "../node-state.js";
import { resolveFoldOptions, type FoldOptions } from "./fold-options.js";

export interface FoldViewOptions extends FoldOptions {
  /** One system message for each section, or all in one, for providers that allow no more. @default "three" */
  readonly systemMessages?: "three" | "one";
}

const next = "Take the next step toward the goal.";

/**
 * Returns a function that makes the prompt of a model call from the state: the host's system messages, `[GOAL]`,
 * `[MULTI_SCALE_STATE_SUMMARIES]`, `[LATEST_INTERACTION]`, and what the user has said since.
 *
 * For models that were trained on this form. It puts what tools returned into system messages, where a model may take
 * it for an order: with tools that read what strangers wrote, send the messages themselves instead.
 * @throws ContextError when an option cannot work.
 */
export function foldView(options: FoldViewOptions): (state: NodeState) => BaseMessage[] {
  const resolved = resolveFoldOptions(options);
  const { systemMessages = "three" } = options;
  return function viewOf(state) {
    const messages = withIds(messagesOf(state, resolved));
    const workspace = workspaceOf(messages);
    const goals = goalsOf(messages, compactionStateOf(state)?.goals);
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
