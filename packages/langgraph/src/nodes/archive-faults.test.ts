import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, toStoredMessage } from "@palimpsest/context";
import { heldOriginals } from "@palimpsest/context/internal";
import { illegalities } from "@palimpsest/context/testing";
import { MemoryDriver, VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextOptions } from "../edge/context-options.js";
import { filler, messagesAfter } from "../testing/history.js";
import { unfolded } from "../testing/storage.js";
import { compactionNode } from "./compaction-node.js";
import { offloadLargeToolResultNode } from "./rung-nodes.js";

/** A driver of which a share of the archive writes fail, the same ones in every run. */
class FaultyDriver extends MemoryDriver {
  #seed = 7;

  constructor(public share: number) {
    super();
  }

  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    if (this.#seed / 2_147_483_647 < this.share) throw new Error("EIO: the storage does not answer");
    return super.write(...args);
  }
}

const config = { configurable: { thread_id: "t" } };

interface Run {
  readonly window: number;
  readonly steps: number;
  readonly driver: FaultyDriver;
  readonly options?: Partial<ContextOptions>;
}

/** Plays an agent whose every tenth result is larger than the window, and then lets the archive work again. */
async function play({ window, steps, driver, options }: Run) {
  const files = new VirtualFilesystem({ driver });
  const node = compactionNode({ files, contextWindow: window, offloadTokens: window / 8, ...options });
  const thread: BaseMessage[] = [new HumanMessage({ id: "ask", content: "Read all pages." })];
  let state: Record<string, unknown> = { messages: [...thread], compaction: {} };
  const prompts: (readonly BaseMessage[])[] = [];
  const step = async (added: readonly BaseMessage[]) => {
    thread.push(...added);
    const before = [...(state["messages"] as BaseMessage[]), ...added];
    const update = await node({ ...state, messages: before }, config);
    const messages = messagesAfter(update, before);
    state = {
      messages,
      compaction: { ...(state["compaction"] as object), ...(update["compaction"] as object) },
    };
    prompts.push(messages);
    return messages;
  };
  for (let at = 0; at < steps; at++) {
    await step([
      new AIMessage({
        id: `a${at}`,
        content: `Reading ${at}.`,
        tool_calls: [{ id: `c${at}`, name: "read", args: {} }],
      }),
      new ToolMessage({
        id: `r${at}`,
        tool_call_id: `c${at}`,
        name: "read",
        content: filler(at % 10 === 3 ? window * 1.25 : window / 40, at),
      }),
    ]);
  }
  const during = prompts.at(-1) ?? [];
  driver.share = 0;
  const after = await step([new AIMessage({ id: "end", content: "All pages are read." })]);
  return { files, thread, prompts, during, after };
}

describe.each([8_000, 32_000])("with a window of %i tokens", (window) => {
  it.each([0.1, 0.3, 1])(
    "loses nothing and stays inside it while %f of the archive writes fail",
    async (share) => {
      const { files, thread, prompts, after } = await play({
        window,
        steps: 40,
        driver: new FaultyDriver(share),
      });
      expect(prompts.filter((prompt) => estimateTokens(prompt) > window)).toEqual([]);
      expect(prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
      expect(heldOriginals(after).size).toBe(0);
      expect(await unfolded(after, files, "t")).toEqual(thread.map((message) => toStoredMessage(message)));
    },
  );
});

it("keeps the originals in the metadata of what is sent until the archive works, and can unfold them from there", async () => {
  const { files, thread, during, after } = await play({
    window: 8_000,
    steps: 25,
    driver: new FaultyDriver(1),
  });
  expect(heldOriginals(during).size).toBeGreaterThan(0);
  expect(estimateTokens(during)).toBeLessThanOrEqual(8_000);
  const whole = thread.map((message) => toStoredMessage(message));
  expect(await unfolded(during, files, "t")).toEqual(whole.slice(0, -1));
  const paths = after.flatMap((message) => foldOf(message)?.path ?? []);
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(await files.archive("t").has(path)).toBe(true);
});

it("tries a failed write again within the step", async () => {
  let failures = 1;
  class FailsOnce extends MemoryDriver {
    override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
      if (args[0].includes("/context/") && failures-- > 0) throw new Error("EIO");
      return super.write(...args);
    }
  }
  const files = new VirtualFilesystem({ driver: new FailsOnce() });
  const node = offloadLargeToolResultNode({ files, contextWindow: 32_000, offloadTokens: 5_000 });
  const call = new AIMessage({ id: "a", content: "", tool_calls: [{ id: "c", name: "read", args: {} }] });
  const result = new ToolMessage({ id: "r", tool_call_id: "c", name: "read", content: filler(40_000) });
  const messages = [new HumanMessage({ id: "h", content: "Read" }), call, result];
  const after = messagesAfter(await node({ messages }, config), messages);
  expect(heldOriginals(after).size).toBe(0);
  expect(estimateTokens(after)).toBeLessThan(5_000);
  expect(failures).toBeLessThan(1);
});
