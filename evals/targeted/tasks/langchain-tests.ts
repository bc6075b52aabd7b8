import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { textOf } from "../../data/text-of.js";
import { act, callsOfTurn, lookUp, shown } from "../acts.js";
import type { Check, Outcome, Script, TargetedTask, Vocabulary } from "../task.js";
import { readingTurn, type Seed } from "./seed.js";

const smallWindow = 15_000;
/** Instructions of the host, for every system: with a short prompt an agent would need no summary for this file. */
const promptTokens = 3_000;
const largeWindow = 35_000;
/** The same where the agent is to compact: in a context that is nearly empty its request would be refused. */
const compactPromptTokens = 6_000;

/** Returns LangChain's own five tests of summarization in Deep Agents, with their windows and conditions. */
export function langchainTests(seed: Seed): readonly TargetedTask[] {
  const files = { [seed.path]: seed.file };
  const lines = seed.file.split("\n").length;
  const reading = (prompt: readonly BaseMessage[], vocabulary: Vocabulary) =>
    readFileOn(prompt, seed, vocabulary) ?? new AIMessage("The file keeps a conversation short.");
  const summarize = { window: smallWindow, promptTokens, files } as const;
  const compact = {
    window: largeWindow,
    promptTokens: compactPromptTokens,
    files,
    before: seed.messages,
    compactTool: true,
  } as const;
  return [
    {
      ...summarize,
      // Reading goes on to the end of the file.
      name: "summarize_continues_task",
      turns: [readingTurn],
      script: reading,
      check({ log: { compactions, prompts } }) {
        const end = prompts.some((prompt) => prompt.includes(lastLine(seed)));
        return {
          passed: compactions > 0 && end,
          detail: `${compactions} compactions; ${end ? `read to line ${lines}` : "the last line was never shown"}`,
        };
      },
    },
    {
      ...summarize,
      // The prompt names the file of the history, and what it holds can be looked up.
      name: "summarization_offloads_to_filesystem",
      turns: [
        readingTurn,
        "What was the first standard-library module that the file imports? Do not read the file again: look it up in your conversation history.",
      ],
      script(prompt, vocabulary) {
        if (!shown(prompt).includes("standard-library module")) return reading(prompt, vocabulary);
        const [, module] = /(?:^|\t|\\t|\\n|: )import (\w+)/m.exec(shown(prompt)) ?? [];
        if (module !== undefined) return new AIMessage(`The first one is ${module}.`);
        return lookUp(prompt, "import ", vocabulary) ?? new AIMessage("I cannot see that any more.");
      },
      check({ answers, log: { compactions, prompts } }) {
        const named = prompts.some((prompt) =>
          /\/(?:conversation_history|context\/history)\/\S+/.test(prompt),
        );
        const right = /\blogging\b/.test(answers.at(-1) ?? "");
        return {
          passed: compactions > 0 && named && right,
          detail: `${compactions} compactions; history ${named ? "named" : "not named"} in the prompt; answer ${right ? "right" : "wrong"}`,
        };
      },
    },
    {
      ...compact,
      name: "compact_tool_new_task",
      turns: [
        "Thanks, that is all I need of that file. Now something else: what are three good names for a ferry?",
      ],
      script: compactFirst("Aurora, Petrel, Meridian."),
      check: compacted,
    },
    {
      ...compact,
      // A question about the same file is no reason to compact.
      name: "compact_tool_not_overly_sensitive",
      turns: ["And which of its functions is the longest?"],
      check({ log }) {
        const called = log.calls.includes("compress_context");
        return { passed: !called, detail: called ? "compacted on a related question" : "did not compact" };
      },
    },
    {
      ...compact,
      name: "compact_tool_large_reads",
      turns: ["Now read all of summarization.py once more, 500 lines at a time, and list its classes."],
      script: compactFirst("It has one class."),
      check: compacted,
    },
  ];
}

function lastLine({ file }: Seed): string {
  return file.split("\n").at(-1) ?? "";
}

const pageLines = 500;
/** Lines per read after a result came back as a preview. */
const smallPageLines = 120;

/** Reads on from the newest line that it was shown, in smaller pieces after a preview, and stops at the last. */
function readFileOn(prompt: readonly BaseMessage[], seed: Seed, { pathArgument }: Vocabulary) {
  if (shown(prompt).includes(lastLine(seed))) return undefined;
  const texts = prompt.map(textOf);
  const whole = texts.filter((text) => !text.includes(previewMark)).join("\n");
  const headers = [...whole.matchAll(/lines (\d+)-(\d+)/g)].map(([, , end]) => Number(end));
  const numbered = [...whole.matchAll(/^\s*(\d+)\t/gm)].map(([, line]) => Number(line));
  const offset = Math.max(0, ...headers, ...numbered);
  const limit = texts.some((text) => text.includes(previewMark)) ? smallPageLines : pageLines;
  return act(prompt, "read_file", { [pathArgument]: seed.path, offset, limit });
}

const previewMark = "[Result offloaded";

/** Compacts at once, then answers. */
function compactFirst(answer: string): Script {
  return (prompt) => {
    const called = callsOfTurn(prompt).some(({ name }) => name === "compress_context");
    if (called) return new AIMessage(answer);
    return act(prompt, "compress_context", { reason: "the user has turned to something else" });
  };
}

function compacted({ answers, log: { calls, compactions } }: Outcome): Check {
  const called = calls.includes("compress_context");
  const done = compactions > 0 ? `${compactions} compactions` : "nothing was compacted";
  return {
    passed: called && compactions > 0 && (answers.at(-1) ?? "") !== "",
    detail: called ? `asked; ${done}` : "did not ask",
  };
}
