import { describeFacts } from "./describe-facts.js";
import type { ScenarioRow } from "./measure-scenarios.js";

/** Describes the outcome of Palimpsest, in one sentence where nodes and middleware agree. */
export function describePalimpsest({ nodes, middleware }: ScenarioRow): string {
  const both = [describeFacts(nodes), describeFacts(middleware)] as const;
  return both[0] === both[1] ? both[0] : `nodes: ${both[0]}; middleware: ${both[1]}`;
}
