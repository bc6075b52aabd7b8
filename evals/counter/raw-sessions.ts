import { createReadStream, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { isAi, promptTokens, usageOf } from "@palimpsest/context/internal";
import { readSession, SessionThread, type SessionEvent } from "@palimpsest/sessions";
import type { SentPrompt } from "./recorded-prompts.js";

/** The folder of sessions in their agent's own form. */
export const rawFolder = "claude-code-raw";

/** Returns the prompts of the main conversation of each session in a folder, as their agent sent them. None without the folder. */
export async function rawSessions(data: string): Promise<readonly (readonly SentPrompt[])[]> {
  const folder = join(data, rawFolder);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
  return Promise.all(names.toSorted().map((name) => sessionPrompts(join(folder, name))));
}

/** A rewind goes back to an earlier prompt, so it begins a new count of calls, as a compaction does. */
const restarts: ReadonlySet<string> = new Set(["compaction", "rewind", "clearing"]);

async function sessionPrompts(path: string): Promise<readonly SentPrompt[]> {
  const thread = new SessionThread();
  const prompts: SentPrompt[] = [];
  let call = 0;
  for await (const { events } of readSession(createReadStream(path), { name: path })) {
    for (const event of events) {
      if (isOfAnother(event)) continue;
      const isNew = event.kind === "message" && !thread.has(event.message.id);
      const prompt = isNew ? answeredBy(event.message, thread.context) : undefined;
      if (prompt !== undefined) prompts.push({ ...prompt, call: call++ });
      if (restarts.has(thread.apply(event)?.kind ?? "")) call = 0;
    }
  }
  return prompts;
}

/** True for an event of a subagent. */
function isOfAnother(event: SessionEvent): boolean {
  return "lane" in event && (event.lane ?? "") !== "";
}

/** Returns the prompt that a message answers; undefined if none was reported. */
function answeredBy(
  message: BaseMessage,
  context: readonly BaseMessage[],
): Omit<SentPrompt, "call"> | undefined {
  const { id: replyId = "" } = message;
  const inputTokens = isAi(message) ? promptTokens(usageOf(message)) : 0;
  const model: unknown = message.response_metadata["model_name"];
  if (inputTokens === 0) return undefined;
  const known = typeof model === "string" ? { model } : {};
  return { replyId, messages: [...context], inputTokens, ...known };
}
