// A server inside your own process, which takes a checkpointer. Run: npx tsx examples/server/embedded-server.ts
import { randomUUID } from "node:crypto";
import { createEmbedServer, type ThreadSaver } from "@langchain/langgraph-api/experimental/embed";
import { VfsSaver } from "@palimpsest/checkpoint";
import { Hono } from "hono";
import { buildAgent } from "./agent.js";

/** Checkpoints, archives and the list of threads; in a container `await VfsSaver.fromPostgres(url)` and a table of yours. */
export function embeddedServer(saver: VfsSaver): Hono {
  const threads = new Map<string, Awaited<ReturnType<ThreadSaver["get"]>>>();
  const known: ThreadSaver = {
    async get(id) {
      const thread = threads.get(id);
      if (thread === undefined) throw new Error(`There is no thread ${id}`);
      return thread;
    },
    async set(id, { metadata }) {
      const thread = { thread_id: id, metadata: { ...threads.get(id)?.metadata, ...metadata } };
      threads.set(id, thread);
      return thread;
    },
    async delete(id) {
      await saver.deleteThread(id); // checkpoints and archive
      threads.delete(id);
    },
  };
  const app = new Hono();
  // The embedded server has no route that copies a thread.
  app.post("/threads/:thread/copy", async (context) => {
    const [from, to] = [context.req.param("thread"), randomUUID()];
    await saver.copyThread(from, to);
    return context.json(await known.set(to, { kind: "put", metadata: (await known.get(from)).metadata }));
  });
  const graph = { agent: buildAgent(saver.files) };
  return app.route("/", createEmbedServer({ graph, threads: known, checkpointer: saver }));
}

if (process.argv[1] === import.meta.filename) {
  const server = embeddedServer(VfsSaver.inMemory());
  const answer = await server.request("/threads", { method: "POST", body: "{}" });
  console.log(answer.status, await answer.text());
}
