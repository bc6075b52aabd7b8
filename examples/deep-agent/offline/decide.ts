import { type BaseMessage } from "@langchain/core/messages";
import { type WireTool } from "../wire-tool.js";
import { answerResearch } from "./answer-research.js";
import { audit } from "./audit.js";
import { fillIn } from "./compress.js";
import { readRequest } from "./request.js";
import { type Reply, readThread } from "./thread.js";

/**
 * Returns the reply to a prompt. Pure: it depends on the messages and the bound tools and on nothing else. What the
 * context no longer shows, and the model does not look up again, is missing in its answer.
 */
export function decide(messages: readonly BaseMessage[], tools: readonly WireTool[]): Reply {
  const thread = readThread(messages);
  const request = readRequest(thread.request);
  if (request.kind === "research") return answerResearch(thread, request);
  return audit(thread, request, {
    tools: new Set(tools.map((each) => each.function.name)),
    fill: fillIn(messages.map(({ text }) => text).join("\n")),
  });
}
