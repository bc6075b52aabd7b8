import type { Story, StoryCall } from "./story.js";
import { timeOf } from "./write-claude-code.js";

/** Returns a story as a session of pi. Its compaction keeps what comes after the first kept entry: here, the last result. */
export function writePi({ id, model, steps }: Story): string {
  const entries: object[] = [
    { type: "session", version: 3, id, timestamp: timeOf(0), cwd: "/home/user/heron" },
  ];
  const add = (type: string, fields: object): void => {
    const parentId = entries.length === 1 ? null : `entry-${entries.length - 1}`;
    entries.push({
      type,
      id: `entry-${entries.length}`,
      parentId,
      timestamp: timeOf(entries.length),
      ...fields,
    });
  };
  for (const step of steps) {
    if (step.kind === "user") add("message", { message: { role: "user", content: step.text } });
    else if (step.kind === "agent") {
      const calls = step.calls.map(({ id: call, name, args }) => ({
        type: "toolCall",
        id: call,
        name,
        arguments: args,
      }));
      const usage = { input: 10, output: 20, cacheRead: step.tokens - 10, cacheWrite: 0 };
      const content = [{ type: "text", text: step.text }, ...calls];
      add("message", { message: { role: "assistant", content, model, usage, stopReason: "stop" } });
      for (const { id: toolCallId, name: toolName, result, isError } of step.calls)
        add("message", {
          message: {
            role: "toolResult",
            toolCallId,
            toolName,
            content: [{ type: "text", text: result }],
            isError,
          },
        });
    } else add("compaction", { summary: step.summary, firstKeptEntryId: "none", tokensBefore: step.tokens });
  }
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** Returns a story as a session of gemini-cli, a record a line. A compression is a new list of messages. */
export function writeGeminiCli({ id, model, steps }: Story): string {
  const records: object[] = [
    { sessionId: id, projectHash: "0".repeat(64), startTime: timeOf(0), lastUpdated: timeOf(0) },
  ];
  for (const [at, step] of steps.entries()) {
    const head = { id: `record-${at}`, timestamp: timeOf(at) };
    if (step.kind === "user") records.push({ ...head, type: "user", content: [{ text: step.text }] });
    else if (step.kind === "agent") {
      const tokens = {
        input: step.tokens,
        output: 20,
        cached: 0,
        thoughts: 0,
        tool: 0,
        total: step.tokens + 20,
      };
      const answer = { ...head, type: "gemini", content: step.text, model, tokens };
      // A record is written again when the results are there.
      if (step.calls.length > 0)
        records.push({ ...answer, toolCalls: step.calls.map((call) => geminiCall(call, false)) });
      records.push({ ...answer, toolCalls: step.calls.map((call) => geminiCall(call, true)) });
    } else
      records.push({ $set: { messages: [{ ...head, type: "user", content: [{ text: step.summary }] }] } });
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function geminiCall({ id, name, args, result, isError }: StoryCall, isDone: boolean): object {
  const response = isError ? { error: result } : { output: result };
  const call = { id, name, args, timestamp: timeOf(0), status: isError ? "error" : "success" };
  return isDone ? { ...call, result: [{ functionResponse: { id, name, response } }] } : call;
}

/** Returns a story as the state of a thread of LangGraph in which deepagents has summarized. */
export function writeLangGraph({ steps }: Story): string {
  const messages: object[] = [];
  let event: object | undefined;
  for (const [at, step] of steps.entries()) {
    if (step.kind === "user") messages.push({ type: "human", data: { id: `m-${at}`, content: step.text } });
    else if (step.kind === "agent") {
      const usage = { input_tokens: step.tokens, output_tokens: 20, total_tokens: step.tokens + 20 };
      const calls = step.calls.map(({ id, name, args }) => ({ id, name, args, type: "tool_call" }));
      messages.push({
        type: "ai",
        data: { id: `m-${at}`, content: step.text, tool_calls: calls, usage_metadata: usage },
      });
      for (const { id, name, result, isError } of step.calls)
        messages.push({
          type: "tool",
          data: {
            id: `r-${id}`,
            tool_call_id: id,
            name,
            content: result,
            status: isError ? "error" : "success",
          },
        });
    } else {
      const summaryMessage = { type: "human", data: { id: `s-${at}`, content: step.summary } };
      event = { cutoffIndex: messages.length, summaryMessage, filePath: null };
    }
  }
  return `${JSON.stringify({ values: { messages, ...(event === undefined ? {} : { _summarizationEvent: event }) } })}\n`;
}

/** Returns a story as plain messages, one a line. */
export function writeMessages({ steps }: Story): string {
  const lines = steps.flatMap((step): readonly object[] => {
    if (step.kind === "user") return [{ role: "user", content: step.text }];
    if (step.kind === "compaction")
      return [{ role: "user", content: step.summary, compaction: true, pre_tokens: step.tokens }];
    const calls = step.calls.map(({ id, name, args }) => ({ id, name, args }));
    const results = step.calls.map(({ id, name, result, isError }) => ({
      role: "tool",
      tool_call_id: id,
      name,
      content: result,
      is_error: isError,
    }));
    return [{ role: "assistant", content: step.text, tool_calls: calls, usage_in: step.tokens }, ...results];
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
