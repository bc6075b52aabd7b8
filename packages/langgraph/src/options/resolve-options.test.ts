import { ContextError } from "@palimpsest/context";
import { FileError, VirtualFilesystem } from "@palimpsest/vfs";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { foldMiddleware } from "../folding/fold-middleware.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { overflowErrorHandler } from "../nodes/overflow-error-handler.js";
import {
  maskToolResultsNode,
  offloadLargeToolResultNode,
  summarizeWithFilesystemPreservationNode,
  truncateToolInputsNode,
} from "../nodes/rung-nodes.js";
import { compressContextTool } from "../tools/compress-context-tool.js";
import { offloadTools } from "../tools/offload-tools.js";
import type { ContextOptions } from "./context-options.js";
import type { LadderOption } from "./accepted-options.js";
import { resolveOptions } from "./resolve-options.js";

const files = VirtualFilesystem.inMemory();
const notCalled = () => Promise.reject(new Error("not called"));
const window = { contextWindow: 100_000 };

type BadOptions = readonly (readonly [string, Partial<ContextOptions>, RegExp])[];

const windowless: BadOptions = [
  [
    "a fraction of an unknown window",
    { trigger: { fraction: 0.8 } },
    /unknown context window: pass contextWindow/,
  ],
  ["no window and no trigger", {}, /unknown context window/],
  [
    "a trigger in messages of an unknown window",
    { trigger: { messages: 30 }, keep: { messages: 5 } },
    /context window is unknown/,
  ],
];

const bad: BadOptions = [
  ["a negative window", { contextWindow: -1 }, /contextWindow is -1: use a number above 0/],
  ["a window that is NaN", { contextWindow: Number.NaN }, /contextWindow is NaN/],
  ["an endless window", { contextWindow: Infinity }, /contextWindow is Infinity/],
  ["a negative trigger", { ...window, trigger: { tokens: -5 } }, /trigger\.tokens is -5/],
  ["a trigger that is NaN", { ...window, trigger: { fraction: Number.NaN } }, /trigger\.fraction is NaN/],
  ["a trigger above the window", { ...window, trigger: { fraction: 1.2 } }, /trigger\.fraction is 1\.2/],
  ["an empty trigger", { ...window, trigger: {} }, /trigger is \{\}/],
  ["no trigger at all", { ...window, trigger: [] }, /trigger is \[\]/],
  ["a negative keep", { ...window, keep: { messages: -1 } }, /keep\.messages is -1/],
  ["an empty keep", { ...window, keep: {} as never }, /give exactly one of/],
  [
    "a list of keeps with an empty one",
    { ...window, keep: [{ turns: 3 }, {}] as never },
    /give exactly one of/,
  ],
  ["an unknown unit in a list of keeps", { ...window, keep: [{ turn: 3 }] as never }, /did you mean turns/],
  ["a keep in two units", { ...window, keep: { turns: 3, tokens: 10 } as never }, /give exactly one of/],
  ["a negative budget of excerpts", { ...window, limits: { excerpts: -1 } }, /limits.excerpts is -1/],
  [
    "a keep larger than the trigger",
    { ...window, keep: { fraction: 0.9 } },
    /keep is 90000 tokens with a trigger at 85000/,
  ],
  [
    "a keep in messages larger than the trigger",
    { ...window, trigger: { messages: 10 }, keep: { messages: 20 } },
    /keep is 20 messages/,
  ],
  ["limits.offload of 0", { ...window, limits: { offload: 0 } }, /limits.offload is 0/],
  ["limits.batch that is NaN", { ...window, limits: { batch: Number.NaN } }, /limits.batch is NaN/],
  [
    "a negative limits.userMessages",
    { ...window, limits: { userMessages: -1 } },
    /limits.userMessages is -1/,
  ],
  ["limits.input that is NaN", { ...window, limits: { input: Number.NaN } }, /limits.input is NaN/],
  ["limits.previewLines of 0", { ...window, limits: { previewLines: 0 } }, /limits.previewLines is 0/],
  ["no filesystem", { ...window, files: undefined as never }, /files is undefined: pass a VirtualFilesystem/],
];

type Builders = Readonly<Record<string, (options: ContextOptions) => unknown>>;

const nodes: Builders = {
  compactionNode,
  offloadLargeToolResultNode,
  truncateToolInputsNode,
  summarizeWithFilesystemPreservationNode,
  maskToolResultsNode,
  compactionCondition,
  overflowErrorHandler,
  compressContextTool,
  offloadTools: (options) => offloadTools([], options),
};
const builders: Builders = { ...nodes, contextMiddleware, foldMiddleware };

function refusal(build: () => unknown): unknown {
  try {
    return build();
  } catch (error) {
    return error;
  }
}

describe.each(bad)("%s", (_, options, message) => {
  it.each(Object.entries(builders))(
    "is refused when %s is built, with the value and the way out",
    (_, build) => {
      const error = refusal(() => build({ files, ...options }));
      expect(ContextError.isInstance(error)).toBe(true);
      expect((error as Error).message).toMatch(message);
    },
  );
});

// A middleware learns the window from the agent's model: see agent-options.test.ts.
describe.each(windowless)("%s", (_, options, message) => {
  it.each(Object.entries(nodes))("is refused when %s is built, with the way out", (_, build) => {
    const error = refusal(() => build({ files, ...options }));
    expect(ContextError.isInstance(error) && error.code).toBe("unknown-window");
    expect((error as Error).message).toMatch(message);
  });
});

it("refuses keepSteps unless it is a number above 0", () => {
  expect(() => maskToolResultsNode({ files, ...window, keepSteps: Number.NaN })).toThrow(/keepSteps is NaN/);
});

it("refuses a folder that cannot be written when the filesystem is made", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  try {
    const blocked = join(folder, "a-file");
    writeFileSync(blocked, "");
    let error: unknown;
    try {
      VirtualFilesystem.fromDirectory(join(blocked, "below"));
    } catch (thrown) {
      error = thrown;
    }
    expect(FileError.isInstance(error) && error.code).toBe("unwritable");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("fills in the documented defaults", () => {
  expect(resolveOptions({ files, contextWindow: 200_000 })).toMatchObject({
    trigger: { fraction: 0.85 },
    keep: { fraction: 0.1 },
    inputKey: "messages",
    outputKey: "messages",
    offloadTokens: 20_000,
    batchTokens: 50_000,
    userTokens: 20_000,
    summaryTimeoutMs: 120_000,
    excludeTools: [
      "ls",
      "read_file",
      "write_file",
      "edit_file",
      "delete_file",
      "glob",
      "grep",
      "search_history",
      "unfold",
    ],
  });
  expect(resolveOptions({ files, contextWindow: 8_000 }).userTokens).toBe(2_000);
  const low = resolveOptions({
    files,
    contextWindow: 100_000,
    trigger: { tokens: 8_500 },
    keep: { turns: 1 },
  });
  expect(low).toMatchObject({
    userTokens: 2_500,
    userLineTokens: 1_250,
    excerptTokens: 625,
    verbatimTokens: 500,
  });
  expect(resolveOptions({ files, contextWindow: 8_000, agentControlled: true }).trigger).toEqual({
    fraction: 0.95,
  });
  expect(resolveOptions({ files, contextWindow: 8_000, inputKey: "chat" }).outputKey).toBe("chat");
});

it("takes the window from the agent's model, whatever the model that writes the summaries", () => {
  const model = { invoke: notCalled, profile: { maxInputTokens: 64_000 } };
  const summaryModel = { invoke: notCalled, profile: { maxInputTokens: 1_000_000 } };
  expect(resolveOptions({ files, model, summaryModel })).toMatchObject({
    contextWindow: 64_000,
    summaryModel,
  });
  expect(resolveOptions({ files, model }).summaryModel).toBe(model);
  expect(() => resolveOptions({ files, summaryModel })).toThrow("unknown context window");
});

it("takes the window from the model's profile, or from a trigger in tokens if it is unknown", () => {
  const model = { invoke: notCalled, profile: { maxInputTokens: 64_000 } };
  expect(resolveOptions({ files, model }).contextWindow).toBe(64_000);
  expect(resolveOptions({ files, trigger: { tokens: 9_000 }, keep: { tokens: 900 } }).contextWindow).toBe(
    9_000,
  );
});

it("the schema knows every option that the types know", () => {
  expectTypeOf<Exclude<keyof ContextOptions, LadderOption>>().toBeNever();
  expectTypeOf<Exclude<LadderOption, keyof ContextOptions>>().toBeNever();
});
