import type { BaseMessage } from "@langchain/core/messages";
import type { Agent } from "./agents/agent.js";
import { madeTexts } from "./made-texts.js";
import { piecesOf } from "./pieces-of.js";
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

function missing(originals: readonly string[], text: string): number {
  const pieces = piecesOf(text);
  return originals
    .filter((original) => !pieces.has(original) && !text.includes(original))
    .reduce((sum, original) => sum + Buffer.byteLength(original), 0);
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
