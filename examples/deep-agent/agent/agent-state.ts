import { MessagesValue, StateSchema } from "@langchain/langgraph";
import { contextState } from "@palimpsest/langgraph";
import { todosValue } from "./todos-value.js";

/** The state of the agent: the conversation, the todo list, and the agent's files. */
export const AgentState = new StateSchema({ messages: MessagesValue, todos: todosValue, ...contextState });
