export { alignedUnits, type Aligned, type AlignOptions } from "./aligned-units.js";
export { blocksFor, chooseConsolidation, type Run, type Stretch } from "./choose-consolidation.js";
export { clipTokens, textCounter } from "./clip-tokens.js";
export { condense, type CondenseOptions } from "./condense.js";
export { consolidate, type Consolidated, type ConsolidateOptions } from "./consolidate.js";
export { directiveIn, foldContextName, type GivenDirective } from "./fold-directives.js";
export { foldBlocks, type FoldBlocksOptions } from "./fold-blocks.js";
export { foldUnits, type FoldUnit } from "./fold-units.js";
export type { FoldedBlock } from "./folded-block.js";
export { extractGoal, goalsOf, type Goal } from "./goals.js";
export { interactionOf, waiting, type Interaction } from "./interaction.js";
export { keptIds, type KeptIdsOptions } from "./kept-ids.js";
export { layOutBlocks, type LayOutOptions } from "./lay-out-blocks.js";
export {
  checkDirective,
  parseDirective,
  type FoldDirective,
  type ParsedDirective,
} from "./parse-directive.js";
export { resolveTarget, type FoldTarget, type ResolvedTarget } from "./resolve-target.js";
export { stalledSteps } from "./stalled-steps.js";
export { blockLine, blockOf, blocksOf, type StateBlock } from "./state-block.js";
export { stackUnits, type BlockMaking, type Stacked } from "./stack-units.js";
export { soughtWords } from "./telling-part.js";
export { waitingUnits } from "./waiting-units.js";
export { blocksNotice, workspaceText, type WorkspaceText } from "./workspace-text.js";
export { workspaceOf, type Workspace } from "./workspace.js";
