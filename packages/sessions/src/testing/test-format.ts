import { createHash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SessionError } from "../session-error.js";
import type { SessionEvent, SessionRecord } from "../session-event.js";
import { readAll } from "./read-all.js";
import { madeStory, type Story } from "./story.js";

export interface TestFormatOptions {
  readonly name: string;
  /** Writes a session. */
  readonly write: (story: Story) => string;
  /** False for a format in which a file is one JSON value. @default true */
  readonly hasLines?: boolean;
}

/** The laws that every format keeps, as a vitest suite. */
export function testFormat(options: TestFormatOptions): void {
  describe(`format: ${options.name}`, () => {
    testContent(options);
    testBytes(options);
    if (options.hasLines !== false) testDamage(options);
  });
}

function testContent({ name, write }: TestFormatOptions): void {
  it("says what was said, called and returned, in order", async () => {
    const story = madeStory();
    const { format, happened } = await readAll(write(story));
    expect(format).toBe(name);
    expect(happened.map(shape)).toEqual(shapeOf(story));
  });

  it("gives every message an id of its own, and the line it came from", async () => {
    const { happened } = await readAll(write(madeStory()));
    expect(new Set(happened.map(({ id }) => id)).size).toBe(happened.length);
    expect(happened.every(({ response_metadata: { line } }) => Number.isInteger(line))).toBe(true);
  });

  it("puts the summary of a compaction in place of what it replaces", async () => {
    const story = madeStory();
    const { context, happened, compactions } = await readAll(write(story));
    const summary = story.steps.flatMap((step) => (step.kind === "compaction" ? [step.summary] : []));
    expect(compactions.map(({ compaction }) => compaction.summary)).toEqual(summary);
    expect(context.filter(({ text }) => text === summary[0])).toHaveLength(1);
    expect(context.length).toBeLessThan(happened.length);
    expect(context.slice(-4).map(shape)).toEqual(happened.slice(-4).map(shape));
  });

  it("has no unknown record in a session of a known version", async () => {
    const { records } = await readAll(write(madeStory()));
    expect(kindsOf(records)).not.toContain("unknown");
    expect(kindsOf(records)).not.toContain("broken");
  });
}

function testBytes({ write }: TestFormatOptions): void {
  it("accounts for every byte, in chunks of any size", async () => {
    const file = new TextEncoder().encode(write(madeStory({ reads: 2 })));
    const whole = await readAll(file);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3_000 }), async (size) => {
        const { records } = await readAll(file, size);
        expect(digestOf(records)).toBe(createHash("sha256").update(file).digest("hex"));
        expect(records.map(({ events }) => events)).toEqual(whole.records.map(({ events }) => events));
        expect(records.every(({ events }) => events.length > 0)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it("reads a file that was cut off anywhere without losing a byte, or says that it is no session", async () => {
    const file = new TextEncoder().encode(write(madeStory({ reads: 2 })));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: file.length - 1 }), async (length) => {
        const cut = file.subarray(0, length);
        const read = await readAll(cut).catch((error: unknown) => error);
        const digest = SessionError.isInstance(read)
          ? "no session"
          : digestOf((read as { records: SessionRecord[] }).records);
        expect(["no session", createHash("sha256").update(cut).digest("hex")]).toContain(digest);
      }),
      { numRuns: 40 },
    );
  });
}

function testDamage({ write }: TestFormatOptions): void {
  it.each([
    ["a record of the future", '{"type":"of-the-future","value":1}', "unknown"],
    ["a broken line", '{"type":"user","mess', "broken"],
    ["a line of zeros", "\u0000\u0000\u0000", "broken"],
    ["an empty line", "", "note"],
  ] as const)("keeps and names %s, and reads the rest as if it were not there", async (_, line, kind) => {
    const lines = write(madeStory()).split("\n");
    const file = [...lines.slice(0, 5), line, ...lines.slice(5)].join("\n");
    const { records, happened } = await readAll(file);
    expect(records[5]?.events).toMatchObject([{ kind }]);
    expect(digestOf(records)).toBe(createHash("sha256").update(file).digest("hex"));
    expect(happened.map(shape)).toEqual(shapeOf(madeStory()));
  });

  it("marks a last line that is still being written", async () => {
    const file = write(madeStory()).trimEnd();
    expect((await readAll(file)).records.at(-1)?.isUnfinished).toBeUndefined();
    expect((await readAll(file.slice(0, -5))).records.at(-1)?.isUnfinished).toBe(true);
  });
}

function kindsOf(records: readonly SessionRecord[]): readonly SessionEvent["kind"][] {
  return records.flatMap(({ events }) => events.map(({ kind }) => kind));
}

function digestOf(records: readonly SessionRecord[]): string {
  const hash = createHash("sha256");
  for (const { bytes } of records) hash.update(bytes);
  return hash.digest("hex");
}

/** Who says what, calls what and returns what. */
function shape(message: BaseMessage): object {
  const {
    tool_calls: calls,
    tool_call_id: call,
    status,
  } = message as {
    tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
    tool_call_id?: string;
    status?: string;
  };
  const type = message.getType();
  if (type === "tool") return { type, text: message.text, call, isError: status === "error" };
  return {
    type,
    text: message.text,
    ...(type === "ai" ? { calls: (calls ?? []).map(({ id, name, args }) => ({ id, name, args })) } : {}),
  };
}

function shapeOf({ steps }: Story): readonly object[] {
  return steps.flatMap((step): readonly object[] => {
    if (step.kind === "compaction") return [];
    if (step.kind === "user") return [{ type: "human", text: step.text }];
    const results = step.calls.map(({ id, result, isError }) => ({
      type: "tool",
      text: result,
      call: id,
      isError,
    }));
    return [
      { type: "ai", text: step.text, calls: step.calls.map(({ id, name, args }) => ({ id, name, args })) },
      ...results,
    ];
  });
}
