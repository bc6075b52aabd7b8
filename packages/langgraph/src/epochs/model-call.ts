import { admitFolds } from "../run/sealed-folds.js";
import { scopeOf } from "../run/node-state.js";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import {
  changedFrom,
  dropReasoning,
  hasBoundReasoning,
  hasReasoning,
  staleStart,
  unchanged,
  withoutReasoning,
} from "@palimpsest/context/internal";
import type { ModelRequest } from "langchain";
import { commitRewrite, mustThrow, type CommitOptions } from "../run/commit.js";
import type { CompactionState, SentPrefix } from "../run/context-state.js";
import { reporter } from "../run/reporter.js";
import { threadIdOf } from "../run-config.js";
import type { EpochOptions } from "./in-epoch.js";
import { frameDigest } from "./prompt-frame.js";
import { markedPrefix, rewrittenPrefix, withMarks } from "./sent-prefix.js";

type Request = Pick<ModelRequest, "messages" | "state" | "runtime" | "systemMessage" | "tools">;

/** One call of an agent's model, with everything that a provider binds its reasoning to. */
export interface ModelCall {
  /** The messages to send; the array of the request if no reasoning is stale. */
  readonly messages: BaseMessage[];
  /** Update of the state: messages without stale reasoning, which replace those with the same ids. */
  readonly update: { readonly messages?: BaseMessage[] };
  /** Returns the prefix that was sent, if this or an earlier reply of the model is bound to it. */
  readonly prefix: (sent: readonly BaseMessage[], reply: AIMessage | undefined) => SentPrefix | undefined;
}

/**
 * Returns a call whose reasoning is valid. If other middleware or the host has changed the system prompt, the tools or messages
 * that were sent before, the reasoning after the change goes to the archive and leaves the request and the state.
 */
export async function modelCall(
  request: Request,
  state: CompactionState | undefined,
  options: EpochOptions,
): Promise<ModelCall> {
  const frame = frameDigest(request);
  const known = state?.prefix;
  const from = staleFrom(request.messages, known, frame);
  const holding = known === undefined || from === undefined ? known : withMarks(known, from);
  const start = from === undefined ? -1 : staleStart(request.messages, from);
  const stale = start < 0 ? [] : request.messages.slice(start).filter(hasReasoning);
  const replaced = stale.length === 0 ? [] : await archived(stale, request, options);
  const dropped = new Set(replaced === undefined ? [] : stale);
  const messages =
    dropped.size === 0
      ? request.messages
      : request.messages.map((message) => (dropped.has(message) ? withoutReasoning(message) : message));
  return {
    messages,
    update: replaced === undefined || replaced.length === 0 ? {} : { messages: [...replaced] },
    prefix(sent, reply) {
      const isBound = reply !== undefined && hasBoundReasoning(reply);
      if (replaced === undefined || (known === undefined && !isBound)) return known;
      const prefix = markedPrefix(sent, rewrittenPrefix(holding, messages, sent));
      return prefix === known && known?.frame === frame ? known : { ...prefix, frame };
    },
  };
}

/** Returns the index of the first message whose reasoning can be stale, or undefined if nothing that was sent has changed. */
function staleFrom(
  messages: readonly BaseMessage[],
  known: SentPrefix | undefined,
  frame: string,
): number | undefined {
  if (known === undefined) return undefined;
  const isReframed = known.frame !== undefined && known.frame !== frame;
  return isReframed ? 0 : changedFrom(messages, known.marks);
}

/** Returns the messages of the state without their stale reasoning, or undefined if it could not be archived. */
async function archived(
  stale: readonly BaseMessage[],
  { state, runtime: config }: Request,
  options: EpochOptions,
): Promise<readonly BaseMessage[] | undefined> {
  const messages: readonly BaseMessage[] = state.messages;
  const threadId = threadIdOf(config, scopeOf(state, messages));
  if (threadId === undefined) return undefined;
  const report = reporter(options, config, threadId);
  const archive = options.files.archive(threadId);
  const seal = options.files.seal(threadId);
  const run: CommitOptions = { report, archive, seal, signal: config.signal, onError: options.onError };
  const ids = new Set(stale.map(({ id }) => id));
  const isStale = ({ id }: BaseMessage) => id !== undefined && ids.has(id);
  try {
    const rewrite = dropReasoning(unchanged(await admitFolds(messages, seal)), {
      isStale,
      tokenCounter: options.tokenCounter,
      newest: messages.at(-1)?.id,
    });
    const committed = await commitRewrite(rewrite, { ...run, reason: "edit" });
    return committed?.messages.filter((message, index) => message !== messages[index]);
  } catch (error) {
    if (mustThrow(error, run)) throw error;
    report.fail("compaction", error);
    return undefined;
  }
}
