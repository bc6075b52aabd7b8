// langchain's prompt caching beside Palimpsest: the cache holds between compactions. Run: npx tsx examples/hosts/prompt-caching.ts
//
// The real client of Anthropic talks to a local server that keeps a prompt cache by the published rules.
import { ChatAnthropic } from "@langchain/anthropic";
import { VfsSaver } from "@palimpsest/checkpoint";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { anthropicDouble } from "@palimpsest/provider-doubles";
import { anthropicPromptCachingMiddleware, createAgent, type AgentMiddleware } from "langchain";
import { logTool } from "../shared/log-reader.js";
import { config, question } from "./host-run.js";

export interface CachedRun {
  /** Tokens of each prompt, and how many of them the provider read from its cache. */
  readonly calls: readonly { readonly tokens: number; readonly cached: number }[];
  readonly compactions: number;
}

export async function runWithPromptCaching(): Promise<CachedRun> {
  const server = await anthropicDouble({
    reply: (_, call) =>
      call < 24
        ? { text: "On.", calls: [{ name: "read_log", args: { number: call + 1 } }] }
        : { text: "I have read all logs." },
  });
  const { files } = VfsSaver.inMemory();
  let compactions = 0;
  const agent = createAgent({
    model: new ChatAnthropic({ model: "claude-double", apiKey: "none", anthropicApiUrl: server.url }),
    tools: [logTool],
    middleware: [
      contextMiddleware({
        files,
        contextWindow: 16_000,
        summaryModel: "none",
        onEvent: ({ type }) => (compactions += Number(type === "context.compaction")),
      }),
      // Its types are those of zod 3, which exactOptionalPropertyTypes refuses beside zod 4.
      anthropicPromptCachingMiddleware({ ttl: "5m" } as never) as unknown as AgentMiddleware,
    ],
  });
  await agent.invoke({ messages: [question] }, config);
  await server.close();
  const calls = server.calls.map(({ usage }) => {
    const {
      cache_read_input_tokens: cached = 0,
      cache_creation_input_tokens: written = 0,
      input_tokens = 0,
    } = usage ?? {};
    return { tokens: cached + written + input_tokens, cached };
  });
  return { calls, compactions };
}

if (process.argv[1] === import.meta.filename) {
  const { calls, compactions } = await runWithPromptCaching();
  for (const { tokens, cached } of calls)
    console.log(`${tokens} tokens, ${Math.round((100 * cached) / tokens)} % from the cache`);
  console.log(`${compactions} compactions`);
}
