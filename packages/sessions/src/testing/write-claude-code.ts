import type { Story, StoryCall } from "./story.js";

/** Returns a story as a session of Claude Code: a record for each block of an answer, a boundary before a summary. */
export function writeClaudeCode({ id, model, steps }: Story): string {
  const records: object[] = [
    { type: "file-history-snapshot", messageId: "snapshot", snapshot: {}, isSnapshotUpdate: false },
  ];
  let parent: string | null = null;
  const add = (fields: object, isRoot = false): string => {
    const uuid = `uuid-${records.length}`;
    const common = {
      isSidechain: false,
      userType: "external",
      cwd: "/home/user/heron",
      sessionId: id,
      version: "2.1.42",
    };
    records.push({
      parentUuid: isRoot ? null : parent,
      ...common,
      timestamp: timeOf(records.length),
      ...fields,
      uuid,
    });
    parent = uuid;
    return uuid;
  };
  for (const [at, step] of steps.entries()) {
    if (step.kind === "user") add({ type: "user", message: { role: "user", content: step.text } });
    else if (step.kind === "agent") {
      const usage = {
        input_tokens: 10,
        cache_read_input_tokens: step.tokens - 10,
        cache_creation_input_tokens: 0,
        output_tokens: 20,
      };
      const said = { id: `msg-${at}`, role: "assistant", model, type: "message", usage };
      add({ type: "assistant", message: { ...said, content: [{ type: "text", text: step.text }] } });
      for (const call of step.calls) add({ type: "assistant", message: { ...said, content: [useOf(call)] } });
      add({ type: "progress", data: { type: "hook_progress" } });
      for (const call of step.calls)
        add({ type: "user", message: { role: "user", content: [resultOf(call)] } });
    } else {
      const logicalParentUuid = parent;
      const compactMetadata = { trigger: "auto", preTokens: step.tokens };
      add({ type: "system", subtype: "compact_boundary", logicalParentUuid, compactMetadata }, true);
      add({ type: "user", isCompactSummary: true, message: { role: "user", content: step.summary } });
    }
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function useOf({ id, name, args }: StoryCall): object {
  return { type: "tool_use", id, name, input: args };
}

function resultOf({ id, result, isError }: StoryCall): object {
  return { type: "tool_result", tool_use_id: id, content: result, ...(isError ? { is_error: true } : {}) };
}

/** The time of a record: each comes a second after the one before it. */
export function timeOf(count: number): string {
  return new Date(Date.UTC(2026, 0, 5, 9, 0, count)).toISOString();
}
