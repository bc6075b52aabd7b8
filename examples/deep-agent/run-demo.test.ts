import { fileURLToPath } from "node:url";
import { VfsSaver } from "@palimpsest/checkpoint";
import { describe, expect, it } from "vitest";
import { chatModel } from "./chat-model.js";
import { problemsOf } from "./demo-result.js";
import { type DemoEvent } from "./events.js";
import { chooseJob } from "./job/choose-job.js";
import { findPackages } from "./job/find-packages.js";
import { runDemo } from "./run-demo.js";

const folder = fileURLToPath(new URL("../../node_modules", import.meta.url));
const contextWindow = 32_000;

describe("the demo", () => {
  it("audits a few packages inside the window, all answers right and every byte kept", async () => {
    const events: DemoEvent[] = [];
    const { result, score, differences } = await runDemo({
      packages: chooseJob(findPackages(folder), 4),
      contextWindow,
      model: await chatModel({ name: undefined, contextWindow }),
      saver: VfsSaver.inMemory(),
      watch: (event) => events.push(event),
    });
    expect(score.wrong).toEqual([]);
    expect(differences).toEqual([]);
    expect(problemsOf(result)).toEqual([]);
    expect(result.answersTotal).toBe(24);
    expect(result.toolTokens).toBeGreaterThan(contextWindow);
    expect(result.folds.offload).toBeGreaterThan(0);
    expect(result.compressContextCalls).toBeGreaterThan(0);
    expect(result.overflowStepWithout).toBeLessThan(12);
    expect(events.filter((event) => event.type === "prompt")).toHaveLength(result.steps);
  });

  it("names every problem of a result", () => {
    const bad = {
      answersCorrect: 5,
      answersTotal: 6,
      peakPromptTokens: 33_000,
      windowTokens: contextWindow,
      bytesIdentical: false,
    };
    expect(problemsOf(bad)).toHaveLength(3);
    expect(problemsOf({ ...bad, answersTotal: 0 })).toContain("No answer was checked.");
  });
});
