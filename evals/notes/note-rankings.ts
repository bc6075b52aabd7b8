import { searchHistoryTool } from "@palimpsest/langgraph";
import type { Note } from "@palimpsest/langgraph/types";
import { RecallIndex } from "@palimpsest/recall";
import type { Dialogue, Turn } from "../data/dialogue.js";
import { hits, resultCharacters, unitOfHit } from "../locomo/product-rankings.js";
import type { Ranking, Unit } from "../locomo/rankings.js";
import { remember, scope, sessionsOf, type Session } from "./threads-of.js";

/** Tokens of the notes that a thread begins with: the default. */
export const noteTokens = 2_000;

/** What a new thread begins with: the notes of the sessions before it. */
export const notesAlone: Ranking = {
  name: "notes",
  start: (dialogue) => {
    const noted = notesOf(dialogue);
    return async ({ text }) => noted(text);
  },
};

/** The same, then one call of `search_history` over all sessions. */
export const notesAndSearch: Ranking = {
  name: "notes, then search_history across threads",
  start: (dialogue, seed) => {
    const noted = notesOf(dialogue);
    const search = searchAcross.start(dialogue, seed);
    return async (question, budget) => [...(await noted(question.text)), ...(await search(question, budget))];
  },
};

/** One call of `search_history` in a new thread, over all sessions. */
export const searchAcross: Ranking = {
  name: "search_history across threads",
  start: (dialogue) => {
    const index = RecallIndex.inMemory();
    const opened = remember(dialogue, { index }).then(({ memory, files }) =>
      searchHistoryTool({ files, index, memory, resultCharacters }),
    );
    const sessions = sessionsOf(dialogue);
    return async ({ text }) => {
      const search = await opened;
      const answer = String(
        await search.invoke({ query: text, limit: hits }, { configurable: { thread_id: "new" } }),
      );
      const owners = new Map<string, Session>();
      return answer.split(/^## (?=\/threads\/|Notes from)/m).flatMap((section) => {
        const thread = /^\/threads\/([^/]+)\//.exec(section)?.[1];
        if (thread === undefined) return noteUnits(section, dialogue.turns);
        // The first hit of a thread names it.
        const named = sessions.find(({ threadId }) => section.includes(`(thread ${threadId},`));
        if (named !== undefined) owners.set(thread, named);
        return [unitOfHit(section, owners.get(thread)?.turns ?? [])];
      });
    };
  },
};

/** Returns the notes that a thread begins with whose first request is a text. */
function notesOf(dialogue: Dialogue): (request: string) => Promise<readonly Unit[]> {
  const opened = remember(dialogue);
  const turns = new Map(dialogue.turns.map((turn) => [turn.id, turn]));
  return async (request) => {
    const { memory } = await opened;
    const chosen = await memory.notes(scope, noteTokens, request);
    return chosen.map((note) => unitOfNote(note, turns));
  };
}

function unitOfNote({ text, path, line, messageId = "" }: Note, turns: ReadonlyMap<string, Turn>): Unit {
  const share = Math.min(1, text.length / Math.max(1, turns.get(messageId)?.text.length ?? 1));
  return {
    text: `- ${text} [${path.slice(path.lastIndexOf("/") + 1)}:${line}]`,
    evidence: [messageId],
    shares: [share],
  };
}

/** Returns each note of the tool's answer as a unit: it stands for the turns that say it. */
function noteUnits(section: string, turns: readonly Turn[]): readonly Unit[] {
  return section.split("\n").flatMap((line) => {
    const said = /^- [\d: -]+: (.+) \[\/threads\//u.exec(line)?.[1];
    if (said === undefined) return [];
    const sources = turns.filter(({ text }) => text.includes(said));
    const shares = sources.map(({ text }) => said.length / text.length);
    return [{ text: line, evidence: sources.map(({ id }) => id), shares }];
  });
}
