import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { compactionNode, type GraphNode } from "@palimpsest/langgraph";
import { expect, it } from "vitest";
import { playTwice } from "./run-hosts.js";
import type { Move, Script } from "./script.js";
import { strategies, type Given, type Strategy } from "./strategies.js";

const ladder = strategies.find(({ name }) => name === "compactionNode") as Strategy;

function turn(
  ...rounds: readonly (readonly ["small" | "medium" | "large", ...("small" | "medium")[]])[]
): Move {
  const steps = [...rounds.map((calls) => ({ calls, thinking: false })), { calls: [], thinking: false }];
  return { kind: "turn", text: "small", steps, resend: false, outage: false, pause: false };
}

/** Fills a window of 1,500 tokens several times. */
const script: Script = {
  settings: { window: 1_500, pins: "none", hasSystem: true, reportsUsage: true, summaries: "extracted" },
  moves: [
    turn(["medium"], ["large"]),
    turn(["small", "medium"], ["medium"], ["medium"]),
    { kind: "insert", at: 1 },
    turn(["medium"], ["medium"], ["large"]),
    { kind: "fork", at: 1 },
    turn(["medium"], ["medium"]),
  ],
};

function planted(make: (given: Given) => GraphNode): Strategy {
  return { ...ladder, parts: (given) => ({ ...ladder.parts(given), node: make(given) }) };
}

it("a script is played in the host with and without us, and once more with a restart before every node", async () => {
  expect(await playTwice(script, ladder)).toBe(2 * 14);
});

let built = 0;
const faults: Readonly<Record<string, (given: Given) => GraphNode>> = {
  /** A node that forgets what the user said first. */
  lost: () => async (state) => {
    const { messages } = state as { readonly messages: readonly BaseMessage[] };
    return messages.length < 6 ? {} : { messages: [new HumanMessage({ id: "u0", content: "Something." })] };
  },
  /** A node that does nothing. */
  window: () => async () => ({}),
  /** A node that throws. */
  died: () => async () => {
    throw new Error("planted");
  },
  /** A node that does something else in every process. */
  restart({ files, onEvent, settings: { window } }) {
    built++;
    return compactionNode({
      files,
      onEvent,
      contextWindow: window,
      trigger: { fraction: built < 3 ? 0.6 : 0.85 },
    });
  },
};

it.each(Object.keys(faults))("a planted fault is found: %s", async (kind) => {
  await expect(playTwice(script, planted(faults[kind] as never))).rejects.toMatchObject({ kind });
});
