import { AIMessage, type BaseMessage, type UsageMetadata } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { readSession, SessionThread, type SessionFacts } from "@palimpsest/sessions";
import { chunksOf, sessionName } from "../session-files.js";

/** The main conversation of a session: all its messages, and what the model was really sent before each of its answers. */
export interface RecordedRun {
  readonly session: string;
  readonly facts: SessionFacts;
  readonly messages: readonly BaseMessage[];
  /** By the id of the answer. */
  readonly prompts: ReadonlyMap<string, readonly BaseMessage[]>;
  /** Tokens of prompts that summaries were written from, and of these summaries. */
  readonly summaries: readonly { readonly read: number; readonly written: number }[];
  /** Tokens of the system prompt and of tools, which no file of a session holds: what the first call reported beyond its messages. */
  readonly overhead: number;
}

/** Reads the main conversation of a session. Throws a SessionError for a file that is no session. */
export async function recordedRun(path: string): Promise<RecordedRun> {
  const thread = new SessionThread();
  const prompts = new Map<string, readonly BaseMessage[]>();
  const summaries: { readonly read: number; readonly written: number }[] = [];
  let facts: SessionFacts = {};
  let main: string | undefined;
  let overhead: number | undefined;
  for await (const { events } of readSession(chunksOf(path), { name: path }))
    for (const event of events) {
      if (event.kind === "facts") facts = { ...facts, ...event.facts };
      if (!("message" in event || "compaction" in event || "clearing" in event || event.kind === "rewind"))
        continue;
      main ??= event.lane ?? "";
      if ((event.lane ?? "") !== main) continue;
      const isAnswer = event.kind === "message" && event.message.getType() === "ai";
      if (isAnswer && !thread.has(event.message.id)) prompts.set(event.message.id ?? "", [...thread.context]);
      const before = event.kind === "compaction" ? estimateTokens(thread.context) : 0;
      const change = thread.apply(event);
      if (isAnswer) overhead ??= overheadOf(event.message, prompts.get(event.message.id ?? "") ?? []);
      if (change?.kind === "compaction")
        summaries.push({
          read: change.compaction.tokensBefore ?? before,
          written: estimateTokens([change.standIn]),
        });
    }
  return {
    session: sessionName(path),
    facts,
    messages: thread.happened.map(withoutUsage),
    prompts,
    summaries,
    overhead: overhead ?? 0,
  };
}

function overheadOf(answer: BaseMessage, prompt: readonly BaseMessage[]): number | undefined {
  const reported = (answer as BaseMessage & { readonly usage_metadata?: UsageMetadata }).usage_metadata
    ?.input_tokens;
  return reported === undefined ? undefined : Math.max(0, reported - estimateTokens(prompt));
}

/** What was reported of the recorded prompt says nothing of the prompt of another policy. */
function withoutUsage(message: BaseMessage): BaseMessage {
  if (!AIMessage.isInstance(message) || message.usage_metadata === undefined) return message;
  const { usage_metadata: _, ...fields } = (message as { lc_kwargs: Record<string, unknown> }).lc_kwargs;
  return new AIMessage(fields);
}
