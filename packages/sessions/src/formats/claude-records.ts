import type { Place, SessionEvent } from "../session-event.js";
import { isJson, listOf, textOf, userMessage, type Json, type Origin } from "./make-message.js";

/** Records that the model is not sent. */
export const claudeNotes: Readonly<Record<string, string>> = {
  summary: "title",
  "file-history-snapshot": "snapshot of files",
  "queue-operation": "queue of prompts",
  "pr-link": "link to a pull request",
  "custom-title": "title",
  "ai-title": "title",
  "last-prompt": "last prompt",
  "agent-name": "name of an agent",
  "agent-setting": "setting of an agent",
  "permission-mode": "permission mode",
  mode: "mode",
  tag: "tag",
  "worktree-state": "state of a worktree",
  "content-replacement": "replacement of content",
  "attribution-snapshot": "snapshot of authors",
};

export function originOf(record: Json, { line }: Pick<Place, "line">): Origin {
  return { id: textOf(record["uuid"]) ?? `line-${line}`, line, time: record["timestamp"] };
}

/** Returns what the program adds beside a prompt: files, lists, and prompts that waited. */
export function attachment(record: Json, origin: Origin, lane: string): readonly SessionEvent[] {
  const attached = isJson(record["attachment"]) ? record["attachment"] : {};
  const prompt = textOf(attached["prompt"]);
  const isPrompt = attached["type"] === "queued_command" && prompt !== undefined;
  const content = isPrompt ? prompt : JSON.stringify(attached);
  return [{ kind: "message", message: userMessage(content, { ...origin, isMeta: !isPrompt }), lane }];
}

export function textIn(content: unknown): string {
  return listOf(content)
    .flatMap((block) => (isJson(block) ? (textOf(block["text"]) ?? []) : []))
    .join("\n");
}
