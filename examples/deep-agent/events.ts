import { type ContextEvent } from "@palimpsest/langgraph";
import { type PromptParts } from "./count-prompt.js";
import { type Todo } from "./agent/todos-value.js";

/** What happens in a run, for whoever watches. `threadId` is the agent's, or a subagent's. */
export type DemoEvent =
  | { readonly type: "prompt"; readonly threadId: string; readonly step: number; readonly parts: PromptParts }
  | {
      readonly type: "reply";
      readonly threadId: string;
      readonly text: string;
      readonly tools: readonly string[];
    }
  | { readonly type: "result"; readonly threadId: string; readonly tool: string; readonly tokens: number }
  | { readonly type: "todos"; readonly threadId: string; readonly todos: readonly Todo[] }
  | { readonly type: "context"; readonly event: ContextEvent }
  | { readonly type: "phase"; readonly text: string };

/** Watches a run. Must not throw. */
export type Watch = (event: DemoEvent) => void;
