import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { canonicalJson, type ScriptedReply } from "@palimpsest/provider-doubles";
import type { Trajectory } from "../data/trajectory.js";
import type { Work, WorkTurn } from "./works.js";

/** Returns a recorded or generated run with thinking before each reply: what was recorded, or one sentence about the calls. */
export function replayedWork({ set, id, messages, records }: Trajectory): Work {
  const turns: { user: string; replies: ScriptedReply[] }[] = [{ user: "Begin.", replies: [] }];
  const results = new Map<string, string[]>();
  const keys = new Map<string, string>();
  for (const message of messages) {
    if (HumanMessage.isInstance(message)) turns.push({ user: message.text || "Go on.", replies: [] });
    if (ToolMessage.isInstance(message)) {
      const key = keys.get(message.tool_call_id) ?? "";
      results.set(key, [...(results.get(key) ?? []), message.text]);
    }
    if (!AIMessage.isInstance(message)) continue;
    for (const { id: call = "", name, args } of message.tool_calls ?? [])
      keys.set(call, keyOf(toolName(name), args));
    const thinking = records?.get(message.id ?? "")?.thinking ?? thoughtOf(message);
    turns.at(-1)?.replies.push(replyOf(message, thinking));
  }
  return {
    name: `${set} ${id}`,
    systemPrompt: "You work on a task with tools.",
    turns: turns.filter(({ replies }) => replies.length > 0).flatMap(endedTurns),
    answer(name, args) {
      const left = results.get(keyOf(name, args)) ?? [];
      return (left.length > 1 ? left.shift() : left[0]) ?? "(nothing was recorded)";
    },
  };
}

function replyOf({ text, tool_calls: calls = [] }: AIMessage, thinking: string): ScriptedReply {
  if (calls.length === 0) return { thinking, text: text || "Done." };
  return {
    thinking,
    ...(text === "" ? {} : { text }),
    calls: calls.map(({ name, args }) => ({ name: toolName(name), args })),
  };
}

/** Splits a turn behind each reply without calls, where the agent stops, and ends the last one with such a reply. */
function endedTurns({ user, replies }: WorkTurn): readonly WorkTurn[] {
  const turns: WorkTurn[] = [];
  let open: ScriptedReply[] = [];
  for (const reply of replies) {
    open.push(reply);
    if (reply.calls !== undefined) continue;
    turns.push({ user: turns.length === 0 ? user : "Go on.", replies: open });
    open = [];
  }
  if (open.length === 0) return turns;
  const last = { thinking: "This part is done.", text: "Done." };
  return [...turns, { user: turns.length === 0 ? user : "Go on.", replies: [...open, last] }];
}

function thoughtOf({ tool_calls: calls = [] }: AIMessage): string {
  const names = calls.map(({ name }) => name).join(" and ");
  return names === "" ? "Nothing is left to do here." : `The next thing to do is ${names}.`;
}

function keyOf(name: string, args: unknown): string {
  return `${name} ${canonicalJson(args)}`;
}

/** Some names are those of tools that agents of the compared systems have by themselves. */
function toolName(name: string): string {
  return `job_${name.replaceAll(/[^\w-]/g, "_")}`.slice(0, 64);
}
