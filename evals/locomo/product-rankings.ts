import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { historyMarkdown } from "@palimpsest/context/internal";
import { ReuseIndex, selectContext } from "@palimpsest/context/selection";
import { searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex, type RecallOptions } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { Dialogue, Turn } from "../data/dialogue.js";
import type { Ranking, Unit } from "./rankings.js";
import { sentenceEncoder } from "./sentence-encoder.js";

/** Turns of one archived file. */
const turnsPerFile = 40;
/** The most that one call of the tool returns. */
export const hits = 100;
/** Characters of one answer, so that it fills the largest budget. */
export const resultCharacters = 32_000;

/** The selection of `predictiveContextNode` in a thread without calls: the question is the newest message, headers count. */
export const predictiveContext: Ranking = {
  name: "predictive context",
  selects: true,
  start: ({ turns }) => {
    const messages = messagesOf(turns);
    const asked = new Map<string, ReuseIndex>();
    return ({ text }, budget) => {
      const index = asked.get(text) ?? indexOf([...messages, new HumanMessage(text)]);
      // All budgets of a question follow each other.
      asked.clear();
      asked.set(text, index);
      const { whole, excerpts } = selectContext(index, { budget });
      const shown = [...whole.keys(), ...excerpts.keys()].toSorted((one, other) => one - other);
      return shown.flatMap((at) => {
        const turn = turns[at];
        if (turn === undefined) return [];
        const lines = whole.has(at)
          ? undefined
          : excerpts.get(at)?.flatMap(({ chunk, start, end }) => chunk.lines.slice(start, end));
        return [partOf(turn, lines?.map(({ text: line }) => line).join("\n"))];
      });
    };
  },
};

/** One call of `search_history` over an archive of the conversation, its answer cut at the budget. */
export const searchHistory = searchWith("search_history, one call");

/** The same with a sentence encoder beside the words. */
export const searchByMeaning = searchWith("search_history with a sentence encoder", {
  embeddings: sentenceEncoder,
  embeddingTimeout: 60_000,
});

function searchWith(name: string, options: RecallOptions = {}): Ranking {
  return {
    name,
    start: (dialogue) => {
      const files = VirtualFilesystem.inMemory();
      const search = searchHistoryTool({ files, index: RecallIndex.inMemory(options), resultCharacters });
      const archived = archive(files, dialogue);
      return async ({ text }) => {
        await archived;
        const answer = String(
          await search.invoke({ query: text, limit: hits }, { configurable: { thread_id: dialogue.id } }),
        );
        return answer
          .split(/^## (?=\/context\/)/m)
          .slice(1)
          .map((hit) => unitOfHit(hit, turnsIn(hit, dialogue.turns)));
      };
    },
  };
}

function indexOf(messages: readonly BaseMessage[]): ReuseIndex {
  const index = new ReuseIndex();
  for (const message of messages) index.append([message]);
  return index;
}

/** Returns turns as messages: what the first speaker says is the user's. */
export function messagesOf(turns: readonly Turn[], first = turns[0]?.speaker): readonly BaseMessage[] {
  return turns.map(({ id, speaker, text: content }) =>
    speaker === first ? new HumanMessage({ id, content }) : new AIMessage({ id, content }),
  );
}

async function archive(files: VirtualFilesystem, { id, turns }: Dialogue): Promise<void> {
  const { archive: store } = files.thread(id);
  for (let from = 0; from < turns.length; from += turnsPerFile) {
    const path = `/context/history/${String(from).padStart(6, "0")}.md`;
    await store.append(path, historyMarkdown(messagesOf(turns.slice(from, from + turnsPerFile))));
  }
}

/** Returns a hit in some turns as a unit: it stands for those of which it shows lines, each by the share that it shows. */
export function unitOfHit(hit: string, turns: readonly Turn[]): Unit {
  const [, ...lines] = hit.split("\n");
  const shown = lines.filter((line) => line.trim().length > 0 && !line.startsWith("## "));
  const parts = turns.flatMap((turn) => {
    const said = new Set(turn.text.split("\n"));
    const kept = shown.filter((line) => said.has(line));
    return kept.length === 0 ? [] : [partOf(turn, kept.join("\n"))];
  });
  return {
    text: hit,
    evidence: parts.flatMap(({ evidence }) => evidence),
    shares: parts.flatMap(({ shares = [] }) => shares),
  };
}

/** Returns the turns in the file that a hit names. */
function turnsIn(hit: string, turns: readonly Turn[]): readonly Turn[] {
  const from = Number(/history\/(\d+)/.exec(hit)?.[1]);
  return turns.slice(from, from + turnsPerFile);
}

function partOf({ id, text }: Turn, shown = text): Unit {
  const share = Math.min(1, shown.trim().length / Math.max(1, text.trim().length));
  return { text: shown, evidence: [id], shares: [share] };
}
