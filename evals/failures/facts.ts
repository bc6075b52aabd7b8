import type { BaseMessage } from "@langchain/core/messages";
import type { Agent } from "./agents/agent.js";
import type { Finding } from "./scenario.js";
import type { ModelCall } from "./world/world-model.js";
import type { World } from "./world/world.js";

/** What was measured of one system in one scenario. */
export interface Facts {
  /** Bytes of originals that the agent can no longer reach, in its prompt or in a file that it can read. */
  readonly bytesLost: number;
  /** Bytes of originals that are nowhere at all, the state of the thread included. */
  readonly bytesDestroyed: number;
  /** Runs that ended with an error which was not the provider's own. */
  readonly runsKilled: number;
  /** Texts that the model had to see and did not. */
  readonly unseen: number;
  readonly toSee: number;
  readonly summaryCalls: number;
  /** Summary calls beyond those that led to a compaction. */
  readonly extraSummaryCalls: number;
  readonly compactions: number;
  readonly finding?: Finding;
}

/** Returns the facts about the default thread of an agent, once its runs have ended. `outputs` is what its tools returned. */
export async function factsOf(agent: Agent, world: World, outputs: readonly string[]): Promise<Facts> {
  const originals = madeTexts(world.originals, agent, outputs);
  const calls = agent.calls.filter(({ outcome }) => outcome === "answered");
  const prompts = calls.filter(({ purpose }) => purpose === "agent");
  const last = prompts.at(-1)?.text ?? "";
  const reach = [last, ...(await agent.files()).values()].join("\n");
  const all = [reach, JSON.stringify(await agent.messages())].join("\n");
  const shown = madeTexts(world.shown ?? [], agent, outputs);
  const summaries = agent.calls.filter(({ purpose }) => purpose === "summary");
  const compactions = new Set(prompts.flatMap(({ messages }) => messages.filter(isSummary).map(idOf))).size;
  const used = summaries.filter(({ answer }) => answer !== undefined && isUsed(calls, answer.text));
  return {
    bytesLost: missing(originals, reach),
    bytesDestroyed: missing(originals, all),
    runsKilled: Math.max(0, agent.deaths.length - providerFailures(agent)),
    unseen: shown.filter((text) => !prompts.some((prompt) => prompt.text.includes(text))).length,
    toSee: shown.length,
    summaryCalls: summaries.length,
    extraSummaryCalls: Math.max(0, summaries.length - Math.max(used.length, compactions)),
    compactions,
  };
}

/** No system can answer while the provider is down. */
function providerFailures({ calls }: Agent): number {
  return calls.filter(({ purpose, outcome }) => purpose === "agent" && outcome === "failed").length;
}

/** True when nothing is lost, no run died, everything was seen and no compaction wasted more than one call. */
export function isSound(facts: Facts): boolean {
  const { bytesLost, bytesDestroyed, runsKilled, unseen, extraSummaryCalls, compactions, finding } = facts;
  const wasted = extraSummaryCalls > Math.max(1, compactions);
  return (
    bytesLost + bytesDestroyed + runsKilled + unseen === 0 &&
    !wasted &&
    (finding === undefined || finding.sound)
  );
}

/** Returns the bytes of the originals that a text does not hold. */
function missing(originals: readonly string[], text: string): number {
  const isThere = holderOf(text);
  return originals
    .filter((original) => !isThere(original))
    .reduce((sum, original) => sum + Buffer.byteLength(original), 0);
}

/** Returns the texts that were produced: an agent that died early is not charged with what it never read. */
function madeTexts(
  texts: readonly string[],
  { calls }: Agent,
  outputs: readonly string[],
): readonly string[] {
  const said = calls.flatMap(({ text, answer }) => [text, JSON.stringify(answer?.tool_calls ?? [])]);
  return texts.filter(holderOf([...outputs, ...said].join("\n")));
}

/** Returns whether a text holds a part. Most originals are a line or a JSON string of it, and need no search. */
function holderOf(text: string): (part: string) => boolean {
  const pieces = new Set(text.split(/\n|\\n|"/));
  return (part) => pieces.has(part) || text.includes(part);
}

function isSummary(message: BaseMessage): boolean {
  return message.additional_kwargs?.["lc_source"] === "summarization";
}

function idOf(message: BaseMessage): string {
  return `${message.id ?? ""} ${message.text}`;
}

/** An answer is used when something of it reached a later prompt, of the agent or of the next summary. */
function isUsed(calls: readonly ModelCall[], answer: string): boolean {
  const telling = answer
    .split("\n")
    .findLast((line) => line.length > 10)
    ?.replace(/^- /, "");
  return telling !== undefined && calls.some(({ text }) => text.includes(telling));
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
