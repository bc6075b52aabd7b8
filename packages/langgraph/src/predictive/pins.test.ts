import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, pin } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { filler, messagesAfter } from "../testing/history.js";
import type { PredictiveContextOptions } from "./predictive-options.js";
import { predictiveContextNode } from "./predictive-context-node.js";

const config = { configurable: { thread_id: "t" } };
const budget = 2_000;
const rule = `SKILL-RULE: always answer in verse. ${filler(60, 9)}`;

function step(id: string, call: { name: string; args: object }, result: string): BaseMessage[] {
  return [
    new AIMessage({ id: `a-${id}`, content: "", tool_calls: [{ id: `c-${id}`, ...call }] }),
    new ToolMessage({ id: `r-${id}`, tool_call_id: `c-${id}`, name: call.name, content: result }),
  ];
}

const look = (nth: number) => step(`look-${nth}`, { name: "look", args: {} }, filler(250, nth));
const load = (id: string) => step(id, { name: "load_skill", args: { path: "/AGENTS.md" } }, rule);

type Pins = Partial<PredictiveContextOptions>;

/** Returns the context after twenty steps that follow one of a skill, selected step by step. */
async function contextWith(pins: Pins, skill: readonly BaseMessage[]): Promise<readonly BaseMessage[]> {
  const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, ...pins });
  let messages: readonly BaseMessage[] = [new HumanMessage({ id: "u", content: "go" }), ...skill];
  for (let nth = 0; nth < 20; nth++) {
    const before = [...messages, ...look(nth)];
    messages = messagesAfter(await node({ messages: before }, config), before);
  }
  return messages;
}

describe.each(["reuse", "pace"] as const)("with policy %s", (policy) => {
  const ways: Readonly<Record<string, readonly [Pins, (message: BaseMessage) => BaseMessage]>> = {
    pin: [{ pin: ({ id }) => id === "r-skill" }, (message) => message],
    "pin(message)": [{}, (message) => (message.id === "r-skill" ? pin(message) : message)],
    pinTools: [{ pinTools: ["load_skill"] }, (message) => message],
    pinFiles: [{ pinFiles: ["/AGENTS.md"] }, (message) => message],
  };

  it.each(Object.entries(ways))("what %s names stays whole with its step", async (_, [pins, mark]) => {
    const sent = await contextWith({ policy, ...pins }, load("skill").map(mark));
    expect(sent.slice(1, 3).map(({ id, text }) => [id, text])).toEqual([
      ["a-skill", ""],
      ["r-skill", rule],
    ]);
    expect(estimateTokens(sent)).toBeLessThanOrEqual(budget);
  });

  it("what nothing pins is folded", async () => {
    const sent = await contextWith({ policy }, load("skill"));
    expect(sent.filter(({ text }) => text === rule)).toEqual([]);
  });
});

it("a pinned file stays with its newest reads, within limits.pinnedFiles", async () => {
  const skill = ["one", "two", "three"].flatMap(load);
  const pinnedFiles = 2.5 * estimateTokens(load("one"));
  const sent = await contextWith({ policy: "pace", pinFiles: ["*.md"], limits: { pinnedFiles } }, skill);
  const whole = sent.filter(({ text }) => text === rule).map(({ id }) => id);
  expect(whole).toEqual(["r-two", "r-three"]);
});

it("refuses pins that cannot work when it is built", () => {
  const files = VirtualFilesystem.inMemory();
  expect(() => predictiveContextNode({ files, budget, limits: { pinnedFiles: -1 } })).toThrow(
    "limits.pinnedFiles is -1",
  );
  expect(() => predictiveContextNode({ files, budget, pinTools: "look" as never })).toThrow("pinTools");
});
