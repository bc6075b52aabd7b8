import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";

/** Runs a subagent on a thread of its own and returns its messages. */
export type RunSubagent = (request: HumanMessage, threadId: string) => Promise<readonly BaseMessage[]>;

/** Returns the tool `task`: a subagent with its own context works on a request; only its last message comes back. */
export function taskTool(run: RunSubagent): StructuredToolInterface {
  return tool(
    async ({ description }, config) => {
      const parent = String(config.configurable?.["thread_id"] ?? "agent");
      const threadId = `${parent}/${config.toolCall?.id ?? "task"}`;
      const request = new HumanMessage({ id: `request-${threadId}`, content: description });
      const messages = await run(request, threadId);
      return messages.at(-1)?.text || "The subagent ended without a report.";
    },
    {
      name: "task",
      description:
        "Gives a piece of research to a subagent with a context of its own, and returns its short report. It knows nothing but the description: say exactly what to find and how to answer.",
      schema: z.object({ description: z.string().describe("The whole request") }),
    },
  );
}
