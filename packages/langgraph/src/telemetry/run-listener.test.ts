import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { RunnableLambda } from "@langchain/core/runnables";
import { LangChainTracer } from "@langchain/core/tracers/tracer_langchain";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { compacted } from "../testing/compacted.js";
import { runListener } from "./run-listener.js";

/** A run as LangSmith receives it: at its start, and again at its end. */
interface SentRun {
  readonly id: string;
  readonly name: string;
  readonly parent_run_id?: string;
  readonly tags?: readonly string[];
  readonly extra?: { readonly metadata?: Readonly<Record<string, unknown>> };
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

/** Takes the runs that the client of LangSmith sends. */
class LangSmithDouble {
  readonly #runs = new Map<string, SentRun>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#take(request, response);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get runs(): readonly SentRun[] {
    return [...this.#runs.values()];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const part of request.setEncoding("utf8") as AsyncIterable<string>) text += part;
    // What the client asks about the server at first, and takes for any other answer.
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ batch_ingest_config: { use_multipart_endpoint: false } }));
    if (request.url !== "/runs/batch") return;
    const { post = [], patch = [] } = JSON.parse(text) as {
      readonly post?: SentRun[];
      readonly patch?: SentRun[];
    };
    for (const run of [...post, ...patch]) this.#runs.set(run.id, { ...this.#runs.get(run.id), ...run });
  }
}

const double = new LangSmithDouble();
let tracer: LangChainTracer;
beforeAll(async () => {
  vi.stubEnv("LANGSMITH_ENDPOINT", await double.start());
  vi.stubEnv("LANGSMITH_API_KEY", "key");
  // All tracers of a process share one client.
  tracer = new LangChainTracer({ projectName: "palimpsest" });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await double.close();
});

/** Resolves when everything was sent. */
async function sent(): Promise<void> {
  await awaitAllCallbacks();
  await (
    tracer.client as unknown as { awaitPendingTraceBatches(): Promise<void> }
  ).awaitPendingTraceBatches();
}

it("a run listener shows LangSmith each compaction below the run of its node, with its strategy, messages and tokens", async () => {
  const events: ContextEvent[] = [];
  const listen = runListener();
  await compacted(
    (event) => {
      events.push(event);
      return listen(event);
    },
    { callbacks: [tracer] },
  );
  await sent();
  const [compaction, ...others] = events.filter((event) => event.type === "context.compaction");
  expect(others).toEqual([]);
  const { runs } = double;
  const [run, ...more] = runs.filter(({ name }) => name === "context.compaction");
  expect(more).toEqual([]);
  expect(run?.tags).toEqual(expect.arrayContaining(["context.compaction", "summarize", "trigger"]));
  expect(run?.extra?.metadata).toMatchObject({
    "compaction.strategy": "summarize",
    "compaction.reason": "trigger",
    "compaction.messages.before": 48,
    "compaction.messages.after": compaction?.messagesAfter,
    "compaction.tokens.before": compaction?.tokensBefore,
    "compaction.tokens.after": compaction?.tokensAfter,
  });
  expect(run?.error).toBeUndefined();
  expect(runs.find(({ id }) => id === run?.parent_run_id)?.name).toBe("compact");
  const summaries = runs.filter(({ tags }) => tags?.includes("palimpsest:summary"));
  expect(summaries.length).toBeGreaterThan(0);
});

it("a run listener shows a failure as a failed run, and never rejects", async () => {
  const error = new Error("the disk is full");
  const fail: ContextEvent = { type: "context.fail", rung: "archive", error, next: "none", threadId: "t" };
  const parent = RunnableLambda.from(async () => {
    await runListener()(fail);
    return "went on";
  });
  expect(await parent.invoke("go", { callbacks: [tracer] })).toBe("went on");
  await sent();
  const run = double.runs.find((one) => one.error?.includes("the disk is full"));
  expect(run?.name).toBe("context.fail");
  expect(run?.extra?.metadata).toMatchObject({ "compaction.rung": "archive", "compaction.next": "none" });
});
