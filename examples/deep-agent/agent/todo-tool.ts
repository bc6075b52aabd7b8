import { ToolMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { z } from "zod";
import { type Todo, todoSchema } from "./todos-value.js";

/** Returns the tool `write_todos`, which replaces the todo list in the state. */
export function todoTool(): StructuredToolInterface {
  return tool(
    ({ todos }, { toolCall }) =>
      new Command({
        update: {
          todos,
          messages: [
            new ToolMessage({
              content: describe(todos),
              tool_call_id: toolCall?.id ?? "",
              name: "write_todos",
            }),
          ],
        },
      }),
    {
      name: "write_todos",
      description: "Replaces the todo list. Give the whole list, with exactly one item in progress.",
      schema: z.object({ todos: z.array(todoSchema) }),
    },
  );
}

function describe(todos: readonly Todo[]): string {
  const done = todos.filter((todo) => todo.status === "completed").length;
  const current = todos.find((todo) => todo.status === "in_progress");
  const now = current === undefined ? "" : ` Now: ${current.content}.`;
  return `Todo list saved: ${done} of ${todos.length} done.${now}`;
}
