import { HumanMessage } from "@langchain/core/messages";
import { type BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ContextOverflowError } from "@langchain/core/errors";
import { type ContextEvent } from "@palimpsest/langgraph";
import { countWithGptTokenizer } from "@palimpsest/context/gpt-tokenizer";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { stepLimit } from "./agent/agent-options.js";
import { buildAgent } from "./agent/build-agent.js";
import { buildPlainAgent } from "./agent/build-plain-agent.js";
import { compareThreads } from "./compare-threads.js";
import { type DemoResult, countFolds } from "./demo-result.js";
import { type Watch } from "./events.js";
import { type AuditedPackage } from "./job/choose-job.js";
import { groundTruth } from "./job/ground-truth.js";
import { jobPrompt } from "./job/job-prompt.js";
import { type Score, scoreReport } from "./job/score-report.js";
import { OfflineModel } from "./offline/offline-model.js";
import { Recorder } from "./recorder.js";
import { CodeBase } from "./research/code-base.js";
import { researchTools } from "./research/research-tools.js";

/** What a run of the demo needs. */
export interface DemoOptions {
  readonly packages: readonly AuditedPackage[];
  /** Tokens. */
  readonly contextWindow: number;
  readonly model: BaseChatModel;
  /** Holds the checkpoints of all threads, the archive and the agent's files. */
  readonly saver: VfsSaver;
  /** Runs the job once more without Palimpsest, until a prompt no longer fits. Offline model only. @default true */
  readonly compare?: boolean;
  readonly watch: Watch;
}

/** What a run of the demo gives. */
export interface DemoOutcome {
  readonly result: DemoResult;
  readonly report: string;
  readonly score: Score;
  /** Where unfolded threads differ from what was produced. */
  readonly differences: readonly string[];
}

/** Thread of the agent; its subagents have threads below it. */
export const mainThread = "audit";

/** Runs the job with Palimpsest, checks every answer and every byte, and runs it without. */
export async function runDemo(options: DemoOptions): Promise<DemoOutcome> {
  const started = performance.now();
  const { packages, contextWindow, saver, watch } = options;
  const code = new CodeBase(packages);
  const recorder = new Recorder({ watch, mainThread });
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent): void => {
    events.push(event);
    watch({ type: "context", event });
  };
  const report = await runAudit({ ...options, code, recorder, onEvent });
  watch({ type: "phase", text: "Unfolding every fold and comparing it with what was produced" });
  const comparison = await compareThreads(recorder, saver.files);
  const score = scoreReport(report, groundTruth(packages));
  const overflow = options.compare === false ? null : await overflowStep(options, code);
  const result: DemoResult = {
    packages: packages.length,
    steps: recorder.prompts.count,
    subagentSteps: recorder.prompts.subagents,
    toolTokens: recorder.toolTokens,
    windowTokens: contextWindow,
    peakPromptTokens: recorder.prompts.peak,
    ...countFolds(events),
    compressContextCalls: recorder.calls.get("compress_context") ?? 0,
    answersCorrect: score.correct,
    answersTotal: score.total,
    messagesUnfolded: comparison.messages,
    bytesIdentical: comparison.isIdentical,
    overflowStepWithout: overflow,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  };
  return { result, report, score, differences: comparison.differences };
}

interface Audit extends DemoOptions {
  readonly code: CodeBase;
  readonly recorder: Recorder;
  readonly onEvent: (event: ContextEvent) => void;
}

/** Runs the agent on the job and returns the report that it wrote; empty when there is none. */
async function runAudit({
  packages,
  contextWindow,
  model,
  saver,
  code,
  recorder,
  onEvent,
}: Audit): Promise<string> {
  const agent = buildAgent({
    model,
    tools: researchTools(code),
    recorder,
    saver,
    context: {
      files: saver.files,
      contextWindow,
      limits: { offload: Math.floor(contextWindow / 8) },
      tokenCounter: countWithGptTokenizer,
      onEvent,
      ...(model instanceof OfflineModel ? {} : { model }),
    },
  });
  const job = new HumanMessage({ id: "job", content: jobPrompt(packages) });
  recorder.message(mainThread, job);
  const config = { configurable: { thread_id: mainThread }, recursionLimit: stepLimit };
  const state = await agent.invoke({ messages: [job] }, config);
  recorder.finished(mainThread, state.messages);
  const { data } = await saver.files.thread(mainThread, state.files).backend.readRaw("/report.md");
  return typeof data?.content === "string" ? data.content : "";
}

/** The step at which the same job on the same graph minus Palimpsest no longer fits; null when it ends before. */
async function overflowStep(
  { packages, contextWindow, watch }: DemoOptions,
  code: CodeBase,
): Promise<number | null> {
  watch({ type: "phase", text: "The same job without Palimpsest" });
  const recorder = new Recorder({ watch: () => undefined, mainThread });
  const model = new OfflineModel({ contextWindow });
  const agent = buildPlainAgent({ model, tools: researchTools(code), recorder });
  const job = new HumanMessage({ id: "job", content: jobPrompt(packages) });
  const config = { configurable: { thread_id: mainThread }, recursionLimit: stepLimit };
  try {
    await agent.invoke({ messages: [job] }, config);
    return null;
  } catch (error) {
    if (ContextOverflowError.isInstance(error)) return recorder.prompts.count;
    throw error;
  }
}
