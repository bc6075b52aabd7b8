import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { logTool } from "./log-reader.js";

/** Starts an MCP server with one tool, which returns whole log files, on a free port of this machine. */
export async function startMcpServer(): Promise<{ readonly url: string; close(): void }> {
  const server: Server = createServer(async (request, response) => {
    // Without sessions, each request has a server and a transport of its own.
    const transport = new StreamableHTTPServerTransport({});
    await logServer().connect(transport);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => server.close().closeAllConnections() };
}

function logServer(): McpServer {
  const server = new McpServer({ name: "logs", version: "1.0.0" });
  server.registerTool(
    "read_log",
    { description: logTool.description, inputSchema: { number: z.number().int() } },
    async ({ number }) => ({ content: [{ type: "text", text: await logTool.invoke({ number }) }] }),
  );
  return server;
}
