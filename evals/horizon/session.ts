import type { DecadeRecall } from "./measure-recall.js";
import type { Walk } from "./walk.js";

/** A session that runs until its window overflows or a limit is reached. */
export interface Session {
  readonly name: string;
  /** Most steps of a system in a window, and most seconds of CPU. */
  readonly most: number;
  readonly seconds: number;
  readonly walks: readonly (Walk & { readonly recall: readonly DecadeRecall[] })[];
}
