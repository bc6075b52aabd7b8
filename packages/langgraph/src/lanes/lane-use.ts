import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { z } from "zod";
import { once, type LaneShare } from "@palimpsest/context/internal";
import type { NodeConfig } from "../run-config.js";

/** Where the folds of an agent with a lane are. */
export interface LaneUse {
  /** Name of the lane; its files are below `/context/lanes/<name>/`. */
  readonly name: string;
  readonly share: LaneShare;
  /** The thread with the archive. */
  readonly thread: string;
  /** The agent's run: its checkpoint namespace, such as `researcher:<id>`; "" for the agent of the thread. */
  readonly namespace: string;
  /** ISO 8601 time of the newest fold that the agent has noted. */
  readonly at: string;
}

/** The form of a {@link LaneUse} in state and metadata, which a client may also send. */
export const laneUseSchema = once(() =>
  z.object({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,40}$/),
    share: z.enum(["none", "summary", "all"]),
    thread: z.string(),
    namespace: z.string(),
    at: z.string(),
  }),
);

/** Key in `additional_kwargs`, which no provider receives. */
const key = "palimpsest_lane";

/**
 * Returns where the folds of the agent are that a message comes from: the last reply of an agent with a lane, or the result of a tool
 * that ran one. Undefined for every other message. A client may have written it: it grants nothing.
 */
export function laneOf(message: BaseMessage): LaneUse | undefined {
  const kwargs = message.additional_kwargs as Readonly<Record<string, unknown>> | undefined;
  const parsed = laneUseSchema().safeParse(kwargs?.[key]);
  return parsed.success ? parsed.data : undefined;
}

/**
 * Returns the message with where the folds of a subagent are, from the state that its run has returned; the message itself if the
 * subagent has folded nothing into a lane. For a tool of yours that runs an agent: `handOver(new ToolMessage(…), state)`.
 *
 * Only metadata changes, which no provider receives. The middleware does it for a tool that returns the subagent's state, such as
 * `task` of deepagents.
 */
export function handOver<Message extends BaseMessage>(message: Message, state: unknown): Message {
  const { compaction } = (state ?? {}) as { readonly compaction?: { readonly lane?: unknown } | null };
  const parsed = laneUseSchema().safeParse(compaction?.lane);
  return parsed.success ? withLaneUse(message, parsed.data) : message;
}

/** Returns a copy of a message that says where the folds of its agent are. */
export function withLaneUse<Message extends BaseMessage>(message: Message, use: LaneUse): Message {
  return copyMessage(message, {
    additional_kwargs: { ...message.additional_kwargs, [key]: use },
  });
}

/** Returns the checkpoint namespace of the agent whose node runs: that of the node without the node itself. Pure. */
export function namespaceOf(config: NodeConfig | undefined): string {
  const namespace = config?.configurable?.["checkpoint_ns"];
  if (typeof namespace !== "string") return "";
  return namespace.slice(0, Math.max(0, namespace.lastIndexOf("|")));
}
