import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { anthropicDouble, type AnthropicCall, type MessagesRequest } from "@palimpsest/provider-doubles";
import { z } from "zod";

/** Cached input costs a tenth, written input a quarter more: what most providers ask. */
const price = { cached: 0.1, written: 1.25 };

export interface PrefixAgent {
  /** Runs the agent to its end. */
  readonly run: (messages: readonly BaseMessage[]) => Promise<unknown>;
}

export interface PrefixSystem {
  readonly name: string;
  readonly isOurs: boolean;
  readonly start: (setup: {
    readonly model: ChatAnthropic;
    readonly tools: readonly DynamicStructuredTool[];
    readonly window: number;
  }) => PrefixAgent;
}

/** What one run came to; counts are of the calls that carried on the agent's work, not of summary calls. */
export interface PrefixRow {
  readonly system: string;
  readonly window: number;
  readonly calls: number;
  /** Calls that the provider's default answers with a 400. */
  readonly refused: number;
  /** Reasoning blocks sent that were no longer valid. */
  readonly dropped: number;
  /** Valid reasoning sent, of what the history that was sent would have allowed. */
  readonly kept: number;
  /** Mean share of a prompt that is identical to the beginning of the one before. */
  readonly prefix: number;
  /** Price of all input, summary calls included, in thousands of uncached tokens. */
  readonly bill: number;
  readonly summaryCalls: number;
  /** Why the run ended early, where it did. */
  readonly failure?: string;
}

/** A Claude model on the double, with a window in its profile. */
class WindowedAnthropic extends ChatAnthropic {
  readonly window: number;

  constructor(window: number, fields: ConstructorParameters<typeof ChatAnthropic>[0]) {
    super(fields as never);
    this.window = window;
  }

  override get profile() {
    return { maxInputTokens: this.window };
  }
}

const readPage = tool(
  ({ page }) =>
    Array.from(
      { length: 120 },
      (_, line) => `${page}.${line}: the value of this line is ${page * 7919 + line}`,
    ).join("\n"),
  { name: "read_page", description: "Reads a page.", schema: z.object({ page: z.number() }) },
) as DynamicStructuredTool;

/** Plays an agent that reads one page of 6,000 characters a step, and thinks before each, through the real client. */
export async function playPrefix(system: PrefixSystem, window: number, steps: number): Promise<PrefixRow> {
  let page = 0;
  const server = await anthropicDouble({
    onInvalidThinking: "drop",
    reply(request) {
      if (!isWork(request)) return { text: `## Findings\n- Pages up to ${page} were read.` };
      page++;
      const thinking = `Page ${page} is next, because the pages before it are read.`;
      if (page > steps) return { thinking, text: "All pages are read." };
      return { thinking, text: `Reading page ${page}.`, calls: [{ name: "read_page", args: { page } }] };
    },
  });
  const model = new WindowedAnthropic(window, {
    model: "claude-double",
    apiKey: "none",
    anthropicApiUrl: server.url,
    maxRetries: 0,
    maxTokens: 1_000,
    invocationKwargs: { thinking: { type: "adaptive" } },
  });
  let failure: string | undefined;
  try {
    const agent = system.start({ model, tools: [readPage], window });
    await agent.run([
      new SystemMessage("You read a book page by page."),
      new HumanMessage("Read all pages. Never skip one. Say when you are done."),
    ]);
  } catch (error) {
    failure = String(error).slice(0, 160);
  } finally {
    await server.close();
  }
  return {
    ...measure(server.calls),
    system: system.name,
    window,
    ...(failure === undefined ? {} : { failure }),
  };
}

function isWork({ tools = [] }: MessagesRequest): boolean {
  return tools.some(({ name }) => name === "read_page");
}

function measure(calls: readonly AnthropicCall[]) {
  const work = calls.filter(({ request }) => isWork(request));
  const invalid = work.map((call) => call.invalid.length);
  const sum = (of: (call: AnthropicCall) => number, list = work) =>
    list.reduce((all, call) => all + of(call), 0);
  const keepable = sum((call) => call.keepable);
  const valid = sum((call) => call.reasoning - call.invalid.length);
  const prompts = calls.map(({ request }) =>
    JSON.stringify([request.tools, request.system, request.messages]),
  );
  const shares: number[] = [];
  let bill = 0;
  let before = "";
  for (const [index, prompt] of prompts.entries()) {
    const isSummary = !isWork(calls[index]!.request);
    const same = isSummary ? 0 : samePrefix(before, prompt);
    bill += (price.cached * same + price.written * (prompt.length - same)) / 4_000;
    if (isSummary) continue;
    if (before !== "") shares.push(same / before.length);
    before = prompt;
  }
  return {
    calls: work.length,
    refused: invalid.filter((count) => count > 0).length,
    dropped: sum((call) => call.invalid.length),
    kept: keepable === 0 ? 1 : valid / keepable,
    prefix: shares.reduce((all, share) => all + share, 0) / Math.max(1, shares.length),
    bill,
    summaryCalls: calls.length - work.length,
  };
}

/** Thinking that leaves the beginning changes the prompt and not what the provider compares; it counts as changed here. */
function samePrefix(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}
