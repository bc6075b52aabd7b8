import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { cutPoints, estimateTokens, foldOf, unfold, withIds } from "@palimpsest/context";
import { addedIllegalities, historyArbitrary, illegalities, isSummary } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { maskToolResultsNode, truncateToolInputsNode } from "../nodes/rung-nodes.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { compact } from "../testing/compact.js";
import type { LadderOptions } from "./compact.js";
import type { StepInput } from "../run/step.js";

const reads = history({
  steps: 25,
  toolName: "read_file",
  args: (step) => ({ path: `src/file-${step}.ts` }),
  result: (step) => filler(300, step),
});
/** Every file is read twice. */
const rereads = history({
  steps: 24,
  toolName: "read_file",
  args: (step) => ({ path: `src/file-${step % 12}.ts` }),
  result: (step) => filler(300, step),
});
const writes = history({
  steps: 20,
  toolName: "write_file",
  args: (step) => ({ path: `src/file-${step}.ts`, content: filler(900, step) }),
});

/** Without a model nothing is masked in place of a summary. */
const model = new ScriptedModel(() => new AIMessage("## Findings\n- files"));

/** Only the message with this id is of any importance. */
const only = (wanted: string) => (messages: readonly BaseMessage[]) =>
  messages.map(({ id }) => (id === wanted ? 0.2 : 0));

interface Case {
  readonly messages: readonly BaseMessage[];
  readonly options?: Partial<ContextOptions>;
  readonly how?: Partial<StepInput & LadderOptions>;
}

async function compacted({ messages, options = {}, how = {} }: Case) {
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const resolved = resolveOptions({
    files,
    contextWindow: 10_000,
    limits: { verbatim: 1_500 },
    onEvent,
    ...options,
  });
  const { messages: context } = await compact({ messages, config: inThread("t"), ...how }, resolved);
  const kinds = new Set(context.flatMap((message) => foldOf(message)?.kind ?? []));
  const opened = await unfold(context, (path) => files.thread("t").archive.readText(path));
  return { context, kinds, events, opened };
}

describe("a message with the only importance stays word for word", () => {
  it.each<[string, readonly [kind: string, id: string], Case]>([
    ["results of old steps become lines", ["mask", "result-3"], { messages: reads, options: { model } }],
    ["out-of-date reads become lines", ["stale", "result-3"], { messages: rereads, options: { model } }],
    [
      "inputs of old calls become pointers",
      ["input", "ai-3"],
      { messages: writes, options: { contextWindow: 21_000, limits: { verbatim: 2_500 } } },
    ],
    ["a summary replaces the rest", ["summary", "result-9"], { messages: reads, how: { only: "summary" } }],
    [
      "the host asks for a note",
      ["trim", "result-9"],
      { messages: reads, how: { request: { strategy: "archive" } } },
    ],
    [
      "the host folds above a message",
      ["summary", "result-9"],
      { messages: reads, how: { request: { above: "ai-20" } } },
    ],
    [
      "the provider refuses the prompt",
      ["summary", "result-9"],
      {
        messages: reads,
        options: { contextWindow: 16_000, keep: { turns: 1 }, limits: { excerpts: 0, verbatim: 1_500 } },
        how: { overflow: true },
      },
    ],
  ])("where %s", async (_, [kind, id], { options, ...rest }) => {
    const without = await compacted({ ...rest, ...(options && { options }) });
    expect(without.kinds).toContain(kind);
    expect(without.context).not.toContain(rest.messages.find((message) => message.id === id));
    const { context, kinds, opened } = await compacted({
      ...rest,
      options: { ...options, importance: only(id) },
    });
    expect(kinds).toContain(kind);
    expect(context).toContain(rest.messages.find((message) => message.id === id));
    expect(illegalities(context)).toEqual([]);
    expect(opened.map((message) => message.id)).toEqual(rest.messages.map((message) => message.id));
  });

  it.each([
    ["maskToolResultsNode", { node: maskToolResultsNode, messages: reads, id: "result-3" }],
    ["truncateToolInputsNode", { node: truncateToolInputsNode, messages: writes, id: "ai-3" }],
  ] as const)("in %s", async (_, { node, messages, id }) => {
    const files = VirtualFilesystem.inMemory();
    const common = { files, contextWindow: 10_000, limits: { verbatim: 2_500 }, keep: { turns: 1 } };
    const run = async (options: ContextOptions) =>
      messagesAfter(await node(options)({ messages }, inThread("t")), messages);
    const wanted = messages.find((message) => message.id === id);
    expect(await run(common)).not.toContain(wanted);
    expect(await run({ ...common, importance: only(id) })).toContain(wanted);
  });
});

describe("a promoted call", () => {
  const doubt = "Wait, perhaps I was wrong. Let me verify the lexer.";
  const doubtful = reads.map((message) =>
    message.id === "ai-9" && message instanceof AIMessage
      ? new AIMessage({ id: "ai-9", content: doubt, tool_calls: message.tool_calls ?? [] })
      : message,
  );

  it("stays without its results: each is a line that names its file", async () => {
    const how = { only: "summary" } as const;
    const { context, opened } = await compacted({
      messages: doubtful,
      options: { markers: {}, limits: { verbatim: 200 } },
      how,
    });
    const at = context.findIndex((message) => message.id === "ai-9");
    expect(context[at]?.text).toBe(doubt);
    expect(context[at + 1]?.text).toMatch(/^\[Result of an earlier step: \/context\/results\//);
    expect(illegalities(context)).toEqual([]);
    expect(opened.find((message) => message.id === "result-9")?.text).toBe(filler(300, 9));
  });

  it("is folded with its doubts quoted if the budget has no room for it", async () => {
    const options = { markers: {}, limits: { verbatim: 20 } };
    const { context } = await compacted({ messages: doubtful, options, how: { only: "summary" } });
    expect(context.some((message) => message.id === "ai-9")).toBe(false);
    expect(context.find(isSummary)?.text).toContain('Agent: "Wait, perhaps I was wrong."');
  });

  it("is folded if the context would otherwise not fit", async () => {
    const options = { importance: () => reads.map(() => 1), limits: { verbatim: 100_000 } };
    const { context } = await compacted({ messages: reads, options });
    expect(estimateTokens(context)).toBeLessThan(0.85 * 9_000);
  });
});

const kept = (config: unknown) => (config as { configurable: { keep: unknown } }).configurable.keep;
const keeping = (keep: string) => ({ configurable: { thread_id: "t", keep } });
const importance = (messages: readonly BaseMessage[], config: unknown) =>
  only(String(kept(config)))(messages);
const markers = (config: unknown) => (kept(config) === "epic" ? ({ task: "epic" } as const) : undefined);

describe("importance and markers", () => {
  it("see the config of the run: one graph keeps another message in each", async () => {
    for (const id of ["result-3", "result-7"]) {
      const { context } = await compacted({
        messages: reads,
        options: { importance },
        how: { config: keeping(id) },
      });
      const whole = context.filter(
        (message) => ["result-3", "result-7"].includes(message.id ?? "") && foldOf(message) === undefined,
      );
      expect(whole.map((message) => message.id)).toEqual([id]);
    }
    const messages = [
      ...reads.slice(0, 1),
      new AIMessage({ id: "hm", content: "Hmm." }),
      new HumanMessage("Go on."),
      ...reads.slice(1),
    ];
    const stays = async (task: string) => {
      const how = { config: keeping(task), only: "summary" } as const;
      return (await compacted({ messages, options: { markers }, how })).context.some(
        (message) => message.id === "hm",
      );
    };
    expect([await stays("epic"), await stays("simple")]).toEqual([true, false]);
  });

  it.each([
    ["throws", () => fail("no meter")],
    ["returns too few scores", () => [1]],
    ["returns no scores", () => undefined as never],
  ])("stop no compaction: one that %s promotes nothing, and an event says so once", async (_, broken) => {
    const { events, kinds } = await compacted({
      messages: reads,
      options: { importance: broken },
      how: { only: "summary" },
    });
    expect(kinds).toContain("summary");
    expect(events.filter(({ type }) => type === "context.fail")).toMatchObject([
      { rung: "importance", next: "unpromoted" },
    ]);
  });

  it("ignore scores that are not numbers above 0", async () => {
    const scores = [Number.NaN, -1, 0, -Infinity];
    const options = {
      importance: (messages: readonly BaseMessage[]) => messages.map((_, at) => scores[at % 4] ?? 0),
    };
    const { context } = await compacted({ messages: reads, options, how: { only: "summary" } });
    expect(context.map(({ id }) => id)).toEqual(
      (await compacted({ messages: reads, how: { only: "summary" } })).context.map(({ id }) => id),
    );
  });

  it.each([
    [{ task: "hard" }, 'markers.task is "hard": use one of simple, medium, complex, epic'],
    [{ density: 0 }, "markers.density is 0"],
    [{ profile: { verbosity: "loud" } }, 'markers.profile.verbosity is "loud"'],
    ["epic", 'markers is "epic": pass an object'],
  ])("are refused when the node is built: %j", (markers, message) => {
    const files = VirtualFilesystem.inMemory();
    expect(() => resolveOptions({ files, contextWindow: 10_000, markers: markers as never })).toThrow(
      message,
    );
  });
});

it("a compaction without preserve_markers keeps no message for its doubts", async () => {
  const call = { id: "ask", name: "compress_context", args: {} };
  const asked = (preserveMarkers: boolean) => [
    reads[0] as BaseMessage,
    new AIMessage({ id: "hm", content: "Hmm, actually I'm not sure. Let me verify." }),
    new HumanMessage({ id: "on", content: "Go on." }),
    ...reads.slice(1),
    new AIMessage({ id: "asking", content: "", tool_calls: [call] }),
    new ToolMessage({
      id: "asked",
      tool_call_id: "ask",
      content: "ok",
      artifact: { palimpsest_compaction: { strategy: "summarize", preserveMarkers, reason: "done" } },
    }),
  ];
  const stays = async (preserve: boolean) => {
    const { context } = await compacted({ messages: asked(preserve), options: { markers: {} } });
    expect(context.some(isSummary)).toBe(true);
    return context.some((message) => message.id === "hm");
  };
  expect([await stays(true), await stays(false)]).toEqual([true, false]);
});

it("over any history with room for it, the one important message stays, whatever the reason of the compaction", async () => {
  const counts = { folded: 0, stayed: 0 };
  const how = fc.constantFrom<Partial<StepInput & LadderOptions>>(
    { request: {} },
    { request: { strategy: "archive" } },
    { only: "summary", request: {} },
  );
  await fc.assert(
    fc.asyncProperty(historyArbitrary({ maxTurns: 4 }), fc.nat(), how, async (generated, pick, asked) => {
      const messages = withIds(generated);
      // A result without its call is nobody's.
      const own = messages.filter(
        (message) =>
          ["ai", "tool"].includes(message.getType()) &&
          segmentOf(messages, message).some((one) => AIMessage.isInstance(one)),
      );
      const wanted = own[pick % Math.max(1, own.length)];
      const options = {
        contextWindow: 1_000_000,
        keep: { messages: 1 },
        limits: { verbatim: 1_000_000, offload: 1_000_000, batch: 1_000_000 },
        importance: only(wanted?.id ?? ""),
      };
      const { context, opened } = await compacted({ messages, options, how: asked });
      expect(addedIllegalities(messages, context)).toEqual([]);
      expect(opened).toHaveLength(messages.length);
      const present = new Map(context.map((one) => [one.id, one]));
      const gone = messages.filter((one) => present.get(one.id) === undefined || foldedNow(one, present));
      counts.folded += gone.length > 0 ? 1 : 0;
      counts.stayed += gone.length > 0 && wanted !== undefined && !gone.includes(wanted) ? 1 : 0;
      // A compaction that could fold nothing else folds it.
      const segment = segmentOf(messages, wanted);
      expect(gone.filter((one) => one === wanted && !gone.every((other) => segment.includes(other)))).toEqual(
        [],
      );
    }),
    { numRuns: 80 },
  );
  expect(counts.stayed).toBeGreaterThan(counts.folded / 2);
});

function foldedNow(message: BaseMessage, present: ReadonlyMap<string | undefined, BaseMessage>): boolean {
  const now = present.get(message.id);
  const fold = now === undefined ? undefined : foldOf(now);
  // A message that lost its stale reasoning still says all it said.
  const isShorter = fold?.kind !== "reasoning" && fold !== foldOf(message);
  return message.getType() !== "human" && now !== undefined && isShorter;
}

/** What must not be parted from a message. */
function segmentOf(
  messages: readonly BaseMessage[],
  wanted: BaseMessage | undefined,
): readonly BaseMessage[] {
  const at = wanted === undefined ? 0 : messages.indexOf(wanted);
  const points = cutPoints(messages);
  const start = points.findLast((point) => point <= at) ?? 0;
  return messages.slice(start, points.find((point) => point > at) ?? messages.length);
}

function fail(message: string): never {
  throw new Error(message);
}
