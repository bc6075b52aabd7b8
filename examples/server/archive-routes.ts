import { copyArchive, deleteArchive } from "@palimpsest/checkpoint";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { Hono } from "hono";

/**
 * Routes that go in front of those of a LangGraph server: its checkpointer copies and deletes threads without knowing of
 * archives. In `langgraph.json` they are the `http.app`.
 */
export function archiveRoutes(files: VirtualFilesystem): Hono {
  const app = new Hono();
  app.post("/threads/:thread/copy", async (context, next) => {
    const thread = context.req.param("thread");
    await next();
    if (!context.res.ok) return;
    const copy = (await context.res.clone().json()) as { readonly thread_id: string };
    await copyArchive(files, thread, copy.thread_id);
  });
  app.delete("/threads/:thread", async (context, next) => {
    const thread = context.req.param("thread");
    await next();
    if (context.res.ok) await deleteArchive(files, thread);
  });
  return app;
}
