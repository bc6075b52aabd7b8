// AgentFold: the agent folds its own context into state summaries of several scales.
export { clipTokens, goalWordsOf, textCounter } from "./block-text.js";
export { condense, unitFindings } from "./condense.js";
export { consolidate, quotedIn } from "./consolidate.js";
export type { FoldDirective } from "./directives.js";
export { foldBlocks, keptIds } from "./fold-blocks.js";
export { foldUnits, stalledSteps, waitingUnits, type FoldUnit } from "./fold-units.js";
export { goalsOf, type Goal } from "./goals.js";
export { findingTokens, noFindings } from "../summary/lines/block-findings.js";
export { interactionOf } from "./interaction.js";
export { layOutBlocks } from "./lay-out-blocks.js";
export {
  directiveIn,
  foldContextName,
  stripDirectives,
  stripMessage,
  type ReplyDirective,
} from "./reply-directives.js";
export {
  blocksFor,
  chooseConsolidation,
  resolveTarget,
  type ResolvedTarget,
  type Run,
} from "./resolve-target.js";
export type { BlockOptions, Stacked } from "./stack-units.js";
export { blockLine, blockOf, blocksOf } from "./state-block.js";
export { workspaceOf, workspaceText, type Workspace } from "./workspace.js";
