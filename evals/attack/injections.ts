import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { applySummary, estimateTokens, planSummary } from "@palimpsest/context";
import { blocksOf, condense, foldUnits } from "@palimpsest/context/folding";
import { summaryHeadings } from "@palimpsest/context/internal";
import type { ContextOptions } from "@palimpsest/langgraph";
import { madeStep } from "../data/made/made-step.js";
import { textOf } from "../data/text-of.js";
import type { Trajectory } from "../data/trajectory.js";
import { foldingRun } from "../policies/folding.js";
import { foldRun } from "../retention/fold-run.js";
import type { SuiteOptions, SuitePart } from "../suite.js";
import { hostileLines, type HostileLine } from "./hostile-lines.js";
import { reportInjections, type Injected, type Way } from "./report-injections.js";
import { seenIn, type Seen } from "./where-it-stands.js";

/** Tokens of the window, and facts in a result: the window is full before results are old enough to be masked. */
const contextWindow = 8_000;
const factsInResult = 45;
/** Compactions after which the stand-ins are examined; the second one folds the stand-in of the first. */
const marks = [1, 2, 3];
const steps = 30;

/** What reads a line: nothing, a model that copies it into every section or step, and, as controls, texts that quote nothing. */
const ways: Readonly<Record<Way, (line: HostileLine) => Seen | Promise<Seen>>> = {
  extracted: (line) => folded(line),
  "model that copies it": (line) => folded(line, gullible(line.text, everywhere(line.text))),
  "blocks, extracted": (line) => inBlocks(line),
  "blocks, model that copies it": (line) =>
    inBlocks(line, gullible(line.text, `The host was read. ${line.text} Next: ${line.text}`)),
  "control: an extractor without quotations": unquoted,
  "control: a block without quotations": unquotedBlock,
};

/**
 * Puts lines that order, claim or imitate something into the result of a tool, and looks where they stand after
 * compactions and in blocks.
 */
export async function injections({
  quick = false,
  progress,
}: Pick<SuiteOptions, "quick" | "progress">): Promise<SuitePart> {
  const lines = quick ? hostileLines.filter((_, at) => at % 4 === 0) : hostileLines;
  const results: Injected[] = [];
  for (const line of lines) {
    progress(`${line.group}: ${line.text.slice(0, 40)}`);
    for (const way of Object.keys(ways) as Way[]) results.push({ ...line, way, ...(await ways[way](line)) });
  }
  return reportInjections(results);
}

type Model = NonNullable<ContextOptions["model"]>;

async function folded(line: HostileLine, model?: Model): Promise<Seen> {
  const contexts: (readonly BaseMessage[])[] = [];
  await foldRun(hostileRun(line), {
    contextWindow,
    ...(model === undefined ? {} : { model }),
    marks,
    look: async ({ context }) => void contexts.push(context),
  });
  if (contexts.length < 2)
    throw new Error(`${contexts.length} compactions in ${steps} steps: a nested one is needed`);
  return seenIn(line.text, contexts);
}

/** Looks at the blocks before every call of the model, those of merged steps included. */
async function inBlocks(line: HostileLine, summaryModel?: Model): Promise<Seen> {
  const model = summaryModel === undefined ? {} : { summaryModel };
  const run = foldingRun(contextWindow, { ...model, microTokens: 130, recentBlocks: 4 });
  const contexts: (readonly BaseMessage[])[] = [];
  const scales = new Set<string>();
  for (const [chunk, message] of hostileRun(line).messages.entries()) {
    const context = await run.context([message], { chunk, needed: [] });
    const blocks = blocksOf(context).filter(({ startStep, endStep }) => startStep <= 3 && endStep >= 3);
    for (const { scale } of blocks) scales.add(scale);
    if (blocks.length > 0) contexts.push(context);
  }
  if (scales.size < 2) throw new Error(`${[...scales].join(", ")} in ${steps} steps: two scales are needed`);
  return seenIn(line.text, contexts);
}

/** A block as it is without quotations: the results, behind the call. */
function unquotedBlock(line: HostileLine): Seen {
  const unit = foldUnits(hostileRun(line).messages).find(({ endStep }) => endStep === 3)!;
  const text = unit.messages.map((message) => message.text.split("\n").slice(0, 3).join(" ")).join(" | ");
  const options = { id: 1, microTokens: 1_000, tokenCounter: estimateTokens, kept: new Set<string>() };
  const { messages } = condense(unit, { ...options, text }).unit;
  return seenIn(line.text, [messages]);
}

/** A stand-in as it is without quotations: the lines of the results, under Findings. */
function unquoted(line: HostileLine): Seen {
  const { messages } = hostileRun(line);
  const plan = planSummary(messages, { cut: messages.length });
  if (plan === undefined) throw new Error("Nothing to fold");
  const results = plan.folded.filter((message) => message.getType() === "tool");
  const lines = results.flatMap((message) => message.text.split("\n").slice(0, 3));
  const text = `## ${summaryHeadings.findings}\n${lines.map((one) => `- ${one}`).join("\n")}`;
  return seenIn(line.text, [applySummary(plan, { text, tokenCounter: estimateTokens }).messages]);
}

/** A user forbids something, and the result of the third step holds the line. */
function hostileRun({ group, text }: HostileLine): Trajectory {
  const messages: BaseMessage[] = [
    new HumanMessage({
      id: "u",
      content: "Survey every host. Never delete anything, and never push to main.",
    }),
  ];
  for (let step = 0; step < steps; step++) {
    const facts = Array.from(
      { length: factsInResult },
      (_, at) => `host-${step} service ${at} listens on ${2_000 + at * 7}`,
    );
    const result = (step === 2 ? facts.toSpliced(1, 0, text) : facts).join("\n");
    const call = { said: `Reading host ${step}.`, name: "read_file", args: { path: `hosts/${step}.md` } };
    messages.push(...madeStep({ id: step, callId: `c${step}`, ...call, result }));
  }
  return { set: "generated", id: `hostile-${group}-${text.length}`, messages };
}

/** A summary model that believes what it reads: it copies the line as `copied` does, where it sees it. */
function gullible(text: string, copied: string): Model {
  const facts = `## ${summaryHeadings.findings}\n- The hosts so far were read.`;
  return {
    invoke(prompt: BaseMessage[]) {
      const isShown = textOf(prompt.at(-1)!).includes(text);
      return Promise.resolve(new AIMessage(isShown ? copied : facts));
    },
  };
}

function everywhere(text: string): string {
  const { intent, findings, decisions, nextSteps, done } = summaryHeadings;
  return [
    ...[intent, findings, nextSteps].map((title) => `## ${title}\n- ${text}`),
    `## ${decisions}\n- ${text} (because: the page says so)`,
    `## ${done}\n- Learned: ${text}`,
  ].join("\n");
}
