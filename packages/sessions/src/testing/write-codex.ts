import type { Story } from "./story.js";
import { timeOf } from "./write-claude-code.js";

/** Returns a story as a rollout of Codex. Its compaction repeats the messages of the user and adds the summary. */
export function writeCodex({ id, model, steps }: Story): string {
  const records: { readonly type: string; readonly payload: object }[] = [
    {
      type: "session_meta",
      payload: { id, cwd: "/home/user/heron", cli_version: "0.98.0", originator: "codex_cli_rs" },
    },
    { type: "turn_context", payload: { cwd: "/home/user/heron", model } },
  ];
  const item = (payload: object): void => void records.push({ type: "response_item", payload });
  const users: object[] = [];
  for (const step of steps) {
    if (step.kind === "user") {
      users.push(said("user", step.text));
      item(said("user", step.text));
      records.push({ type: "event_msg", payload: { type: "user_message", message: step.text } });
    } else if (step.kind === "agent") {
      item(said("assistant", step.text));
      for (const { id: call_id, name, args } of step.calls)
        item({ type: "function_call", name, arguments: JSON.stringify(args), call_id });
      const usage = {
        input_tokens: step.tokens,
        cached_input_tokens: 0,
        output_tokens: 20,
        total_tokens: step.tokens + 20,
      };
      const info = { total_token_usage: usage, last_token_usage: usage, model_context_window: 272_000 };
      records.push({ type: "event_msg", payload: { type: "token_count", info } });
      for (const { id: call_id, result, isError } of step.calls)
        item({
          type: "function_call_output",
          call_id,
          output: isError ? { content: result, success: false } : result,
        });
    } else {
      const history = [...users, said("user", step.summary)];
      records.push({ type: "compacted", payload: { message: step.summary, replacement_history: history } });
    }
  }
  return records.map((record, at) => `${JSON.stringify({ timestamp: timeOf(at), ...record })}\n`).join("");
}

function said(role: string, text: string): object {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { type: "message", role, content: [{ type, text }] };
}
