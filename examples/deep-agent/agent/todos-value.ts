import { ReducedValue } from "@langchain/langgraph";
import { z } from "zod";

export const todoSchema = z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
});

/** One item of the agent's todo list. */
export type Todo = z.infer<typeof todoSchema>;

/** State channel of the todo list: the last one written counts. */
export const todosValue = new ReducedValue(
  z.array(todoSchema).default(() => []),
  { inputSchema: z.array(todoSchema).optional(), reducer: (current, next) => next ?? current },
);
