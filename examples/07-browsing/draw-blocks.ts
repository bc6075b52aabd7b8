import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { blocksOf, workspaceOf } from "@palimpsest/context/folding";

/** Returns one line that shows a context: its step, its blocks, and its size beside that of the whole thread. */
export function drawBlocks(messages: readonly BaseMessage[], fullTokens: number): string {
  const { step, latest } = workspaceOf(messages);
  const blocks = blocksOf(messages).map(({ startStep, endStep }) =>
    startStep === endStep ? "·" : `[${startStep}-${endStep}]`,
  );
  const shape = `${blocks.join("")}${latest.length > 1 ? "#" : ""}`;
  const sizes = `${count(estimateTokens(messages))} of ${count(fullTokens)} tokens`;
  return `step ${String(step).padStart(2)}  ${sizes.padStart(24)}  ${shape}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en");
}
