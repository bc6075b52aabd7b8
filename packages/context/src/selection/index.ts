// Predictive context selection: reuse coverage, and the step representations of PACE.
export type { Atom } from "./atom-table.js";
export { excerptParts, leaveOut } from "./excerpts.js";
export { linesText, type Block, type IndexedChunk } from "./indexed-chunk.js";
export {
  paceDefaults,
  paceLevel,
  raiseThresholds,
  type PaceLevel,
  type PaceThresholds,
} from "./pace/levels.js";
export {
  fitRepresentations,
  rateSimilarities,
  selectRepresentations,
  type PaceRating,
  type RatedSteps,
  type RepresentationTokens,
} from "./pace/select-representations.js";
export {
  dotProduct,
  hashVector,
  mergeSimilarities,
  paceQuery,
  sparseVector,
  unitVector,
  type SparseVector,
} from "./pace/weights.js";
export { chatNeighbours, rankUnits } from "./rank-blocks.js";
export { renderExcerpt } from "./render-excerpt.js";
export { ReuseIndex } from "./reuse-index.js";
export { reuseImportance, reuseOf } from "./reuse-likelihoods.js";
export type { ReuseWeights } from "./reuse-weights.js";
export { eachAtom, featureNames } from "./score-atoms.js";
export {
  selectContext,
  type ContextSelection,
  type KeptContext,
  type SelectContextOptions,
} from "./select-context.js";
export { selectOnward } from "./select-onward.js";
export { groupOf, type WholeReason } from "./whole-chunks.js";
