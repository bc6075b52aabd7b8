// Starts LangGraph's development server on a free port, as `npx @langchain/langgraph-cli dev` does with langgraph.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "@langchain/langgraph-api/server";

const { graphs, http } = JSON.parse(readFileSync(join(import.meta.dirname, "langgraph.json"), "utf8"));
const absolute = (path: string) => join(import.meta.dirname, path);
const { host } = await startServer({
  port: 0,
  nWorkers: 2,
  host: "127.0.0.1",
  cwd: process.argv[2] ?? process.cwd(), // the server keeps its checkpoints here
  graphs: { agent: absolute(graphs.agent) },
  http: { ...http, app: absolute(http.app) },
});
console.log(`listening on http://${host}`);
