import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tokenCounterFrom } from "@palimpsest/context";
import { searchHistoryTool, summarizeNode, type ContextLimits } from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { Lane } from "../recall/lane.js";
import { random, wholeTexts } from "../recall/lanes.js";
import { normalized, type Chat, type Fact } from "./chat.js";
import { NodeThread } from "../metrics/node-thread.js";
import { mean } from "../metrics/quantile.js";

/** What stands in front of a reader of a compacted chat. Tokens are characters / 4. */
export interface PlayedChat {
  readonly contextTokens: number;
  /** For each fact, whether its evidence stands in the context word for word. */
  readonly inSight: readonly boolean[];
  /** The same of the answer of one search with the question, by the way to search. */
  readonly found: Readonly<Record<string, readonly boolean[]>>;
  /** Mean tokens of the answer of `search_history`; the other ways may show as many. */
  readonly answerTokens: number;
}

export interface PlayOptions {
  /** Share of the chat that is compacted, the oldest part. */
  readonly share: number;
  readonly limits: ContextLimits;
}

/** The way to search whose answers are ours. */
export const ourSearch = "search_history";

const tokenCounter = tokenCounterFrom((text) => Math.ceil(text.length / 4));
const config = { configurable: { thread_id: "chat" } };

/** Compacts the oldest part of a chat once, with an extracted summary, and asks one search for each fact. */
export async function playChat(chat: Chat, { share, limits }: PlayOptions): Promise<PlayedChat> {
  const files = VirtualFilesystem.inMemory();
  const messages = chat.turns.map(toMessage);
  const total = tokenCounter(messages);
  const node = summarizeNode({
    files,
    contextWindow: total,
    tokenCounter,
    trigger: { tokens: Math.floor(0.99 * total) },
    keep: { tokens: Math.max(1, Math.round((1 - share) * total)) },
    minMessages: 1,
    summaryModel: "none",
    limits,
  });
  const context = await new NodeThread(node, config.configurable.thread_id).step(messages);
  const shown = normalized(context.map(({ text }) => text).join("\n"));
  const { answers, answerTokens } = await searchAll(chat.facts, files);
  const seen = (texts: readonly string[]) => chat.facts.map((fact, at) => isShown(fact, texts[at] ?? ""));
  return {
    contextTokens: tokenCounter(context),
    inSight: chat.facts.map((fact) => isShown(fact, shown)),
    found: {
      [ourSearch]: seen(answers),
      [wholeTexts.name]: seen(await searchTurns(chat, wholeTexts, answerTokens)),
      [random.name]: seen(await searchTurns(chat, random, answerTokens)),
    },
    answerTokens: mean(answerTokens),
  };
}

function toMessage({ role, text }: Chat["turns"][number], at: number): BaseMessage {
  const fields = { id: `turn-${at}`, content: text };
  return role === "assistant" ? new AIMessage(fields) : new HumanMessage(fields);
}

function isShown({ passages }: Fact, text: string): boolean {
  return passages.every((passage) => text.includes(passage));
}

async function searchAll(facts: readonly Fact[], files: VirtualFilesystem) {
  const index = RecallIndex.inMemory();
  const search = searchHistoryTool({ files, index });
  const [answers, answerTokens]: [string[], number[]] = [[], []];
  for (const { question } of facts) {
    const answer = String(await search.invoke({ query: question }, config));
    answers.push(normalized(answer));
    answerTokens.push(answer.length / 4);
  }
  await index.close();
  return { answers, answerTokens };
}

/** Searches whole turns; of each question it shows as many tokens as `search_history` did, the last turn cut. */
async function searchTurns(
  { turns, facts }: Chat,
  lane: Lane,
  tokens: readonly number[],
): Promise<readonly string[]> {
  const searching = lane.start(1);
  for (const [at, { text }] of turns.entries()) await searching.add(text, at);
  const shown: string[] = [];
  for (const [at, { question }] of facts.entries()) {
    const found = await searching.find(question, 40);
    const text = found.map((one) => one.text).join("\n");
    shown.push(normalized(text.slice(0, Math.round(4 * (tokens[at] ?? 0)))));
  }
  return shown;
}
