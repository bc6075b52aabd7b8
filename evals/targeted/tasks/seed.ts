import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { isToolResult } from "@palimpsest/context/internal";
import { madeStep } from "../../data/made/made-step.js";

/** What LangChain's own summarization tests start from. */
export interface Seed {
  readonly file: string;
  readonly path: string;
  /** A question, two reads of a file of 959 lines, and a summary of it: six messages. */
  readonly messages: readonly BaseMessage[];
}

const path = "/summarization.py";
const lineCount = 959;

/** Returns the seed of the data folder, or a generated one of the same shape. */
export function seedOf(data: string | undefined): Seed {
  const recorded =
    data === undefined ? undefined : join(data, "summarization-fixtures/summarization_seed_messages.json");
  if (recorded === undefined || !existsSync(recorded)) return generatedSeed();
  const stored = JSON.parse(readFileSync(recorded, "utf8")) as SerializedMessage[];
  const messages = stored
    .map(fromSerialized)
    .map((message, index) => copyMessage(message, { id: message.id ?? `seed-${index}` }));
  const lines = messages.filter(isToolResult).flatMap(({ text }) => text.split("\n"));
  return { path, file: lines.map((line) => line.replace(/^\s*\d+\t/, "")).join("\n"), messages };
}

/** A message in LangChain's serialized form. */
interface SerializedMessage {
  readonly id: readonly string[];
  readonly kwargs: Record<string, unknown>;
}

function fromSerialized({ id, kwargs }: SerializedMessage): BaseMessage {
  const name = id.at(-1);
  if (name === "AIMessage") return new AIMessage(kwargs);
  if (name === "ToolMessage") return new ToolMessage(kwargs as { content: string; tool_call_id: string });
  return new HumanMessage(kwargs);
}

function generatedSeed(): Seed {
  const lines = Array.from({ length: lineCount }, (_, line) => lineOf(line));
  const reads = [0, 500].flatMap((offset) =>
    madeStep({
      id: `seed-row-${offset}`,
      said: "Reading on.",
      name: "read_file",
      args: { file_path: path, offset, limit: 500 },
      result: lines
        .slice(offset, offset + 500)
        .map((line, index) => `${String(offset + index + 1).padStart(6)}\t${line}`)
        .join("\n"),
    }),
  );
  const messages = [
    new HumanMessage({ id: "seed-question", content: readingTurn }),
    ...reads,
    new AIMessage({
      id: "seed-answer",
      content: "The module keeps a conversation short and stores what it cuts.",
    }),
  ];
  return { path, file: lines.join("\n"), messages };
}

/** What the tests ask for. */
export const readingTurn =
  "Can you read the entirety of summarization.py, 500 lines at a time, and summarize it?";

function lineOf(line: number): string {
  if (line === 0) return '"""Keeps a conversation short."""';
  if (line === 2) return "import logging";
  if (line === 3) return "import uuid";
  if (line === lineCount - 1) return "Middleware = SummaryMiddleware";
  return `    step_${line} = cut(past[${line * 7}], keep=${(line * 31) % 97})`;
}
