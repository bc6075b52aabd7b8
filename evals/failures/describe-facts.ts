import type { Facts } from "./facts.js";
import type { ScenarioRow } from "./measure-scenarios.js";

/** Returns the outcome of Palimpsest in words, in one sentence where nodes and middleware agree. */
export function describePalimpsest({ nodes, middleware }: ScenarioRow): string {
  const [one, other] = [describeFacts(nodes), describeFacts(middleware)];
  return one === other ? one : `nodes: ${one}; middleware: ${other}`;
}

/** Returns the facts in words, failures first. */
export function describeFacts(facts: Facts): string {
  const { bytesLost, bytesDestroyed, runsKilled, unseen, toSee, summaryCalls, extraSummaryCalls } = facts;
  const harm = [
    ...(bytesLost > 0 ? [`${count(bytesLost)} bytes out of the agent's reach`] : []),
    ...(bytesDestroyed > 0 ? [`${count(bytesDestroyed)} of them gone for good`] : []),
    ...(runsKilled > 0 ? [`${runsKilled} ${runsKilled === 1 ? "run" : "runs"} killed`] : []),
    ...(unseen > 0 ? [`${unseen} of ${toSee} texts never seen by the model`] : []),
  ];
  const waste =
    extraSummaryCalls > 0 ? [`${extraSummaryCalls} of ${summaryCalls} summarizer calls for nothing`] : [];
  const finding = facts.finding === undefined ? [] : [facts.finding.text];
  return [...(harm.length === 0 ? ["nothing lost"] : harm), ...waste, ...finding].join("; ");
}

function count(bytes: number): string {
  return bytes.toLocaleString("en");
}
