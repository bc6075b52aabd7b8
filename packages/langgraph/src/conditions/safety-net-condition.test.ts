import { ContextError, estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { safetyNetCondition } from "./compaction-condition.js";

const files = VirtualFilesystem.inMemory();
const messages = history({ steps: 20, result: (step) => filler(500, step) });
const windowAt = (share: number) => Math.round(estimateTokens(messages) / share);

it("holds from 0.95 of the window on", () => {
  expect(safetyNetCondition({ files, contextWindow: windowAt(0.94) })({ messages })).toBe("model");
  expect(safetyNetCondition({ files, contextWindow: windowAt(0.96) })({ messages })).toBe("compact");
});

it("routes to the compaction node from its threshold on", () => {
  const condition = safetyNetCondition({
    files,
    contextWindow: windowAt(0.81),
    threshold: 0.8,
    to: "net",
    otherwise: "go",
  });
  expect(condition({ messages })).toBe("net");
  expect(condition({ messages: messages.slice(0, 3) })).toBe("go");
});

it("leads to a compaction whose reason is the safety net", async () => {
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const node = compactionNode({ files, contextWindow: windowAt(0.96), agentControlled: true, onEvent });
  await node({ messages }, inThread("t"));
  expect(events.at(-1)).toMatchObject({ type: "context.compaction", reason: "safety-net" });
});

it("refuses a threshold that is no share of the window", () => {
  for (const threshold of [0, -1, 1.5, Number.NaN]) {
    expect(() => safetyNetCondition({ files, contextWindow: 10_000, threshold })).toThrow(ContextError);
  }
});
