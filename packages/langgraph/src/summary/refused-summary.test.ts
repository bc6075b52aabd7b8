import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ModelRefusalError } from "@langchain/core/errors";
import { parseSummary } from "@palimpsest/context";
import { isSummary } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions, SummaryModel } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { compact } from "../testing/compact.js";
import { filler, history } from "../testing/history.js";

const messages = history({ steps: 25, result: (step) => `Port ${8000 + step}.\n${filler(300, step)}` });

async function compacted(model: SummaryModel, more: Partial<ContextOptions> = {}) {
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 9_000, model, onEvent, ...more };
  const config = { configurable: { thread_id: "t" } };
  const { messages: context } = await compact({ messages, config, only: "summary" }, resolveOptions(options));
  const failures = events.flatMap((event) => (event.type === "context.fail" ? [event] : []));
  return { summary: parseSummary(context.find(isSummary)?.text ?? ""), failures };
}

const refused = {
  "a block of the content": new AIMessage({
    content: [{ type: "refusal", refusal: "I cannot summarize this." }],
  }),
  "a field of OpenAI": new AIMessage({
    content: "",
    additional_kwargs: { refusal: "I cannot summarize this." },
  }),
  "a stop reason of Anthropic, after some text": new AIMessage({
    content: "## Findings\n- Half a fin",
    response_metadata: { stop_reason: "refusal", stop_details: { explanation: "I cannot summarize this." } },
  }),
};

it.each(Object.entries(refused))(
  "a refusal as %s is a failed summary, which is extracted",
  async (_, reply) => {
    let calls = 0;
    const model = {
      invoke: async () => {
        calls++;
        return reply;
      },
    };
    const { summary, failures } = await compacted(model);
    expect(calls).toBe(1);
    expect(summary?.findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(summary)).not.toContain("Half a fin");
    expect(failures).toMatchObject([{ rung: "summary", next: "extract" }]);
    expect(String(failures[0]?.error)).toContain("refused to answer: I cannot summarize this.");
  },
);

it.each([
  ["thrown by the model", () => Promise.reject(new ModelRefusalError("The model refused."))],
  ["behind a schema", async () => ({ raw: refused["a block of the content"], parsed: null })],
])("a refusal %s is not asked for again without the schema", async (_, invoke) => {
  let plain = 0;
  const model = {
    profile: { structuredOutput: true },
    invoke: async (): Promise<BaseMessage> => {
      plain++;
      return new AIMessage("## Findings\n- Host 3 listens on 8003");
    },
    withStructuredOutput: () => ({ invoke }),
  } as unknown as SummaryModel;
  const { failures } = await compacted(model);
  expect(plain).toBe(0);
  expect(failures).toMatchObject([{ rung: "summary", next: "extract" }]);
});

it("a prompt of the host that asks for prose costs one call for each piece, not two", async () => {
  let calls = 0;
  const model = {
    profile: { maxInputTokens: 100_000 },
    invoke: async () => {
      calls++;
      return new AIMessage("We looked at hosts.\nHost 3 listens on 8003.");
    },
  };
  const { summary, failures } = await compacted(model, { summaryPrompt: "Summarize in two sentences." });
  expect(calls).toBe(1);
  expect(summary?.findings).toContain("Host 3 listens on 8003.");
  expect(failures).toEqual([]);
  calls = 0;
  expect((await compacted(model)).failures).toMatchObject([{ next: "repair" }]);
  expect(calls).toBe(2);
});
