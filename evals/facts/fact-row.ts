import { chunksOf } from "../data/chunks.js";
import { textOf } from "../data/text-of.js";
import { groupsOf } from "../metrics/groups-of.js";
import { mean } from "../metrics/quantile.js";
import type { FactSystem, FactTool } from "./fact-systems.js";
import type { AskedFor, FactQuestion, History } from "./made-history.js";
import { factsSeen, type FactsSeen } from "./measure-facts.js";

export interface FactShares {
  /** How many newest values were asked for. */
  readonly asked: number;
  /** Share of the newest values. */
  readonly newest: number;
  /** Share of the superseded facts of which an old value stands there without its successor. */
  readonly stale: number;
  /** Share of the facts of a topic, and of the topics that are complete. */
  readonly ofTopic: number;
  readonly topics: number;
  /** Share of the questions for events that are complete and in their order. */
  readonly events: number;
}

/** What a system shows of the facts. */
export interface FactRow extends FactShares {
  readonly window: number;
  readonly system: string;
  readonly isControl: boolean;
  /** In its context, as a mean over the ends of all sessions; or with one call of a tool as well, at the end of the last one. */
  readonly seenIn: "its context" | FactTool;
}

type Ask = (question: FactQuestion) => Promise<string>;

/** Plays a system in a window, and asks each of its tools at the end. */
export async function rowsOf(
  { name, isControl, start }: FactSystem,
  histories: readonly History[],
  window: number,
): Promise<readonly FactRow[]> {
  const found: { readonly seenIn: FactRow["seenIn"]; readonly seen: readonly FactsSeen[] }[] = [];
  for (const { messages, questions } of histories) {
    const run = start(window);
    let context = "";
    let now = 0;
    for (const chunk of chunksOf(messages)) {
      const shown = await run.context(chunk.messages, { chunk: chunk.index + 1, needed: [] });
      context = shown.map(textOf).join("\n");
      now += chunk.messages.length;
      const isEnd = messages[now - 1]?.id?.startsWith("e") === true;
      if (isEnd) found.push({ seenIn: "its context", seen: factsSeen(questions, { context }, now) });
    }
    for (const [tool, ask] of Object.entries(run.tools ?? {}) as [FactTool, Ask][])
      for (const question of questions) {
        const sight = { context, answer: await ask(question) };
        found.push({ seenIn: tool, seen: factsSeen([question], sight, messages.length) });
      }
  }
  return groupsOf(found, ({ seenIn }) => seenIn).map(([seenIn, own]) => {
    return {
      window,
      system: name,
      isControl: isControl === true,
      seenIn,
      ...sharesOf(own.flatMap(({ seen }) => seen)),
    };
  });
}

function sharesOf(seen: readonly FactsSeen[]): FactShares {
  const of = (asked: AskedFor) => seen.filter(({ kind }) => kind === asked);
  const [values, topics, events] = [of("the newest value"), of("all of a topic"), of("the order of events")];
  return {
    asked: values.length,
    newest: mean(values.map(({ share }) => share)),
    stale: mean(values.map(({ isStale }) => Number(isStale))),
    ofTopic: mean(topics.map(({ share }) => share)),
    topics: mean(topics.map(({ isWhole }) => Number(isWhole))),
    events: mean(events.map(({ isWhole }) => Number(isWhole))),
  };
}
