import { fileURLToPath } from "node:url";
import { VfsSaver } from "@palimpsest/checkpoint";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chatModel } from "./chat-model.js";
import { chooseJob } from "./job/choose-job.js";
import { findPackages } from "./job/find-packages.js";
import { runDemo, type DemoOutcome } from "./run-demo.js";
import { type OpenAiServer, startOpenAiServer } from "./testing/openai-server.js";

const folder = fileURLToPath(new URL("../../node_modules", import.meta.url));
const contextWindow = 32_000;

async function auditThrough(server: OpenAiServer): Promise<DemoOutcome> {
  vi.stubEnv("OPENAI_API_KEY", "test");
  vi.stubEnv("OPENAI_BASE_URL", server.url);
  return runDemo({
    packages: chooseJob(findPackages(folder), 2),
    contextWindow,
    model: await chatModel({ name: "some-model", contextWindow }),
    saver: VfsSaver.inMemory(),
    compare: false,
    watch: () => undefined,
  });
}

describe("the agent on ChatOpenAI", () => {
  let server: OpenAiServer;

  beforeEach(async () => {
    server = await startOpenAiServer();
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });

  it("finishes the job through HTTP, streamed, with every answer right and every byte kept", async () => {
    const { result, score } = await auditThrough(server);
    expect(score.wrong).toEqual([]);
    expect(result.answersTotal).toBe(12);
    expect(result.bytesIdentical).toBe(true);
    expect(result.peakPromptTokens).toBeLessThanOrEqual(contextWindow);
    expect(result.folds.offload).toBeGreaterThan(0);
    expect(server.requests.every((body) => body.includes('"stream":true'))).toBe(true);
  });

  it("sends no metadata of folds", async () => {
    const { result } = await auditThrough(server);
    expect(result.compressContextCalls).toBeGreaterThan(0);
    const sent = server.requests.join("\n");
    expect(sent).toContain("Result offloaded");
    for (const key of ["palimpsest", "tokensBefore", "lc_source", "additional_kwargs"])
      expect(sent).not.toContain(`"${key}"`);
  });

  it("passes on the error of a server that refuses the key", async () => {
    const refusing = await startOpenAiServer({ failWith: 401 });
    await expect(auditThrough(refusing)).rejects.toThrow("No such key");
    await refusing.close();
  });
});
