import type { DecadeRecall } from "./measure-recall.js";
import type { Walk } from "./walk.js";

/** A session that runs until its window overflows or a limit is reached. */
export interface Session {
  readonly name: string;
  readonly walks: readonly (Walk & { readonly recall: readonly DecadeRecall[] })[];
}
