export { alignedUnits, type Aligned, type AlignOptions } from "./consolidate.js";
export { blocksFor, chooseConsolidation, type Run, type Stretch } from "./resolve-target.js";
export { clipTokens, textCounter } from "./block-text.js";
export { condense, type CondenseOptions } from "./condense.js";
export { consolidate, type Consolidated, type ConsolidateOptions } from "./consolidate.js";
export {
  directiveIn,
  foldContextName,
  stripDirectives,
  stripMessage,
  type GivenDirective,
} from "./reply-directives.js";
export { foldBlocks, type FoldBlocksOptions } from "./fold-blocks.js";
export { foldUnits, type FoldUnit } from "./fold-units.js";
export type { FoldedBlock } from "../folds/fold.js";
export { goalsOf, isTask, type Goal } from "./goals.js";
export { interactionOf, waiting, type Interaction } from "./interaction.js";
export { keptIds, type KeptIdsOptions } from "./fold-blocks.js";
export { layOutBlocks, type LayOutOptions } from "./lay-out-blocks.js";
export { checkDirective, parseDirective, type FoldDirective, type ParsedDirective } from "./directives.js";
export { resolveTarget, type FoldTarget, type ResolvedTarget } from "./resolve-target.js";
export { stalledSteps } from "./fold-units.js";
export { blockLine, blockOf, blocksOf, type StateBlock } from "./state-block.js";
export { stackUnits, type BlockMaking, type Stacked } from "./stack-units.js";
export { soughtWords } from "./block-text.js";
export { waitingUnits } from "./fold-units.js";
export { blocksNotice, workspaceText, type WorkspaceText } from "./workspace.js";
export { workspaceOf, type Workspace } from "./workspace.js";
