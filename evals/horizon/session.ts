import type { DecadeRecall } from "./measure-recall.js";
import type { Walk } from "./walk.js";

/** A session that is taken as far as it goes. */
export interface Session {
  readonly name: string;
  readonly walks: readonly (Walk & { readonly recall: readonly DecadeRecall[] })[];
}
