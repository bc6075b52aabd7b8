// Tools of an MCP server: nothing more than createAgent needs. Run: npx tsx examples/hosts/mcp-tools.ts
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { VfsSaver } from "@palimpsest/checkpoint";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { readThread } from "@palimpsest/langgraph/threads";
import { createAgent } from "langchain";
import { LogReader } from "../shared/log-reader.js";
import { startMcpServer } from "../shared/mcp-server.js";
import { config, print, question, type HostRun } from "./host-run.js";

export async function runMcpTools(): Promise<HostRun> {
  const server = await startMcpServer();
  const client = new MultiServerMCPClient({ mcpServers: { logs: { transport: "http", url: server.url } } });
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const agent = createAgent({
    model,
    tools: await client.getTools(),
    middleware: [contextMiddleware({ files, summaryModel: "none" })],
    checkpointer: saver,
  });
  const { messages } = await agent.invoke({ messages: [question] }, config);
  const thread = await readThread(agent.graph, config, { files });
  await client.close();
  server.close();
  return { prompts: model.promptTokens, answer: messages.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) print(await runMcpTools());
