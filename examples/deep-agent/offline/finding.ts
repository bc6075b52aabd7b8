import { type Known } from "./ledger.js";
import { type Call } from "./thread.js";

/** What a result tells: facts, and the calls that are needed to learn more. */
export interface Finding {
  readonly known: Known;
  readonly calls: readonly Call[];
}
