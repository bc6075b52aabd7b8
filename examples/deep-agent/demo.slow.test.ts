import { fileURLToPath } from "node:url";
import { VfsSaver } from "@palimpsest/checkpoint";
import { expect, it } from "vitest";
import { chatModel } from "./chat-model.js";
import { problemsOf } from "./demo-result.js";
import { chooseJob } from "./job/choose-job.js";
import { findPackages } from "./job/find-packages.js";
import { runDemo } from "./run-demo.js";

it("the whole job offloads results, shortens inputs, summarizes, is compacted on request and by the safety net", async () => {
  const contextWindow = 32_000;
  const folder = fileURLToPath(new URL("../../node_modules", import.meta.url));
  const { result, score, differences } = await runDemo({
    packages: chooseJob(findPackages(folder), 36),
    contextWindow,
    model: await chatModel({ name: undefined, contextWindow }),
    saver: VfsSaver.inMemory(),
    compare: false,
    watch: () => undefined,
  });
  expect(score.wrong).toEqual([]);
  expect(differences).toEqual([]);
  expect(problemsOf(result)).toEqual([]);
  expect(result.folds.offload).toBeGreaterThan(0);
  expect(result.folds.input).toBeGreaterThan(0);
  expect(result.folds.summary).toBeGreaterThan(0);
  expect(result.folds.trim).toBeGreaterThan(0);
  expect(result.compressContextCalls).toBeGreaterThan(0);
  expect(result.safetyNetFires).toBeGreaterThan(0);
});
